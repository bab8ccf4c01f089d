// A stiction that serves: a built one (STICTION), or what cargo builds.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const built = process.env.STICTION;
const [program, first] = built ? [built, []] : ["cargo", ["run", "--quiet", "-p", "stiction-cli", "--"]];

/** Runs it to its end. */
export async function stiction(...args) {
  const [code] = await once(spawn(program, [...first, ...args], { stdio: ["ignore", "ignore", "inherit"] }), "exit");
  assert.equal(code, 0);
}

/** Those that run: none outlives this process. */
const servers = new Set();
process.on("exit", () => servers.forEach((server) => server.kill()));

/** A server showing a scene; ends with `stop`. */
export async function view(...args) {
  const server = spawn(program, [...first, ...args, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
  servers.add(server);
  const [url] = await once(createInterface(server.stdout), "line");
  return {
    url,
    stop() {
      servers.delete(server);
      server.kill();
    },
  };
}
