// The replay: plays the recording embedded in this file.

import { App } from "./app";
import { byId, text } from "./dom";
import { RecordingSource } from "./recording";

declare global {
  interface Window {
    /** For tests and for embedding pages. */
    __stiction?: {
      state: App["state"];
      seek(t: number): void;
      play(): void;
      pause(): void;
      look: App["view"]["look"];
    };
  }
}

async function start(): Promise<void> {
  const source = await RecordingSource.fromBase64(byId("recording").textContent ?? "");
  const app = new App(source);
  const { player, view } = app;
  const setPlaying = (playing: boolean) => {
    if (player.playing !== playing) player.toggle();
  };
  window.__stiction = {
    state: () => app.state(),
    seek: (t) => player.seek(t),
    play: () => setPlaying(true),
    pause: () => setPlaying(false),
    look: (from) => view.look(from),
  };
}

start().catch((error: unknown) => {
  byId("failure").hidden = false;
  text(byId("failure-reason"), error instanceof Error ? error.message : String(error));
});
