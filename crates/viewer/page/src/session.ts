// The other end of the socket: what the server tells, and what it can be told (Rust: session.rs, driver.rs).

import { decodeScene } from "./protocol";
import type { Scene, Vec3 } from "./protocol";

export type Command =
  | { do: "play" | "pause" | "reset" | "release" }
  | { do: "step"; count: number }
  | { do: "speed"; factor: number }
  | { do: "rewind"; t: number }
  | { do: "solver"; name: string }
  | { do: "ghosts"; solvers: string[] }
  | { do: "grab"; body: number; point: Vec3; target: Vec3 }
  | { do: "pull"; target: Vec3 }
  | { do: "control"; actuator: number; value: number }
  | { do: "joint"; joint: number; value: number };

/** A contact solver to choose. */
export interface Choice {
  name: string;
  law: string;
  summary: string;
}

export interface Status {
  playing: boolean;
  speed: number;
  /** Simulated seconds for a second, as it is. */
  real_time: number;
  solver: string;
  ghosts: string[];
  control: number[];
  /** The body somebody holds, and the point in its axes. */
  held: [number, Vec3] | null;
  failure: string | null;
}

export class Session {
  choices: Choice[] = [];
  status: Status | null = null;
  open = false;
  onScene: (scene: Scene) => void = () => {};
  onFrame: (bytes: Uint8Array) => void = () => {};
  onStatus: (status: Status) => void = () => {};
  onRefused: (reason: string) => void = () => {};
  onClosed: (reason: string) => void = () => {};
  private readonly socket: WebSocket;

  constructor() {
    // Beside the page, whatever stands before its path: a notebook may serve it through a proxy.
    const address = new URL("socket", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.search = location.search;
    this.socket = new WebSocket(address);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("open", () => (this.open = true));
    this.socket.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer | string>) => this.take(data));
    this.socket.addEventListener("close", ({ reason }) => {
      const never = !this.open;
      this.open = false;
      this.onClosed(reason || (never ? "The simulation does not answer." : "The simulation has ended."));
    });
  }

  send(command: Command): void {
    if (this.open) this.socket.send(JSON.stringify(command));
  }

  private take(data: ArrayBuffer | string): void {
    if (typeof data !== "string") return this.onFrame(new Uint8Array(data));
    const told = JSON.parse(data) as { choices?: Choice[]; status?: Status; refused?: string };
    if (told.choices) this.choices = told.choices;
    else if (told.status) this.onStatus((this.status = told.status));
    else if (told.refused !== undefined) this.onRefused(told.refused);
    else this.onScene(decodeScene(data));
  }
}
