// Pictures to look at: `node test/look.mjs FOLDER [SCENE] [KEYS]`, of a live scene after a second, light, dark and on a
// phone. Needs what live.mjs needs.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { open, runAll, until } from "./browser.mjs";

const [where = "out", scene = "quadruped", keys = ""] = process.argv.splice(2);
mkdirSync(where, { recursive: true });

const shots = {
  light: { viewport: { width: 1440, height: 860 } },
  dark: { viewport: { width: 1440, height: 860 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 780 }, hasTouch: true, deviceScaleFactor: 2 },
};
const server = spawn(process.env.STICTION ?? "stiction", ["view", scene, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
const [url] = await once(createInterface(server.stdout), "line");
await runAll(
  Object.fromEntries(
    Object.entries(shots).map(([name, options]) => [
      name,
      async () => {
        const { page, complaints } = await open(url, /./, options);
        await until(page, "s.rendered > 0 && s.t > 1");
        // Software rendering of a moving picture leaves no time to take one.
        await page.evaluate("window.__stiction.pause()");
        for (const key of keys) await page.keyboard.press(key);
        await page.waitForTimeout(1500);
        await page.screenshot({ path: join(where, `${scene}-${name}.png`) });
        for (const complaint of complaints) console.log(complaint);
        await page.close();
      },
    ]),
  ),
);
server.kill();
