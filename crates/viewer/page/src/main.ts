// Plays the recording embedded in this file; without one, shows the simulation of the server it came from.

import { App } from "./app";
import { byId, text } from "./dom";
import { LiveSource } from "./live";
import { LivePlayer } from "./live_player";
import { Player } from "./player";
import { RecordingSource } from "./recording";
import { Session } from "./session";

declare global {
  interface Window {
    /** For tests and for embedding pages. */
    __stiction?: {
      state: App["state"];
      seek(t: number): void;
      play(): void;
      pause(): void;
      look: App["view"]["look"];
      pixelOf: App["view"]["pixelOf"];
      send?: Session["send"];
    };
  }
}

async function start(): Promise<void> {
  const recorded = byId("recording").textContent ?? "";
  if (recorded.trim() === "" && location.protocol.startsWith("http")) return watch();
  const source = await RecordingSource.fromBase64(recorded);
  const app = new App(source, new Player(source), null);
  expose(app);
  const [, width, height] = /^#pictures=(\d+)x(\d+)$/.exec(location.hash) ?? [];
  if (width && height) await photograph(app, Number(width), Number(height));
}

/** Hands a picture of every frame to the server (Rust: Server::photograph). */
async function photograph(app: App, width: number, height: number): Promise<void> {
  if (app.player.playing) app.player.toggle();
  Object.assign(byId("stage").style, { width: `${width}px`, height: `${height}px` });
  app.view.cover({ top: 0, bottom: 0, left: 0, right: 0 });
  app.view.fit();
  app.view.look("home");
  const address = new URL("picture", location.href);
  address.search = location.search;
  for (let i = 0; i < app.source.length; i++) {
    app.player.seek(app.source.digest(i).t);
    const picture = app.picture();
    const body = await new Promise<Blob | null>((resolve) => picture.toBlob(resolve, "image/png"));
    if (!body || !(await fetch(address, { method: "POST", body })).ok) return;
  }
}

/** The page is made when the scene is told, and loaded again with every other scene. */
function watch(): void {
  const session = new Session();
  let app: App | null = null;
  let source: LiveSource | null = null;
  let player: LivePlayer | null = null;
  session.onScene = (scene) => {
    source = new LiveSource(scene);
    player = new LivePlayer(source, session);
    // The first frame is on its way; the page is made with it.
  };
  session.onFrame = (bytes) => {
    if (!source || !player) return;
    const first = source.length === 0;
    source.append(bytes);
    if (!first) return player.grown();
    if (app) app.load(source, player);
    else expose((app = new App(source, player, session)), session);
    player.grown();
  };
  session.onStatus = () => app?.told();
  session.onRefused = (reason) => app?.say(reason);
  session.onClosed = (reason) => (app ? app.say(reason, true) : fail(new Error(reason)));
}

function expose(app: App, session?: Session): void {
  const setPlaying = (playing: boolean) => {
    if (app.player.playing !== playing) app.player.toggle();
  };
  window.__stiction = {
    state: () => app.state(),
    seek: (t) => app.player.seek(t),
    play: () => setPlaying(true),
    pause: () => setPlaying(false),
    look: (from) => app.view.look(from),
    pixelOf: (at) => app.view.pixelOf(at),
    ...(session ? { send: (command) => session.send(command) } : {}),
  };
}

function fail(error: unknown): void {
  byId("failure").hidden = false;
  text(byId("failure-reason"), error instanceof Error ? error.message : String(error));
}

start().catch(fail);
