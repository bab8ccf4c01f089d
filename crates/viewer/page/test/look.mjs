// Pictures to look at: `node test/look.mjs FOLDER [SCENE|REPLAY.html] [KEYS] [TIME]`, light, dark and on a phone: of a live
// scene after a second, or of a replay at a time [s]. Needs what live.mjs needs.

import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { open, runAll, seek, until } from "./browser.mjs";
import { view } from "./served.mjs";

const [where = "out", what = "quadruped", keys = "", time = "1"] = process.argv.splice(2);
mkdirSync(where, { recursive: true });
const replay = what.endsWith(".html");
const name = basename(what, ".html");

const shots = {
  light: { viewport: { width: 1280, height: 720 } },
  dark: { viewport: { width: 1280, height: 720 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 780 }, hasTouch: true, deviceScaleFactor: 2 },
};
const { url, stop } = replay ? { url: pathToFileURL(what).href, stop() {} } : await view("view", what);
await runAll(
  Object.fromEntries(
    Object.entries(shots).map(([shot, options]) => [
      shot,
      async () => {
        const { page, complaints } = await open(url, /./, options);
        await until(page, replay ? "s.rendered > 0" : "s.rendered > 0 && s.t > 1");
        // Software rendering of a moving picture leaves no time to take one.
        if (replay) await seek(page, Number(time));
        else await page.evaluate("window.__stiction.pause()");
        for (const key of keys) await page.keyboard.press(key);
        await until(page, "!s.playing && s.settled");
        await page.screenshot({ path: join(where, `${name}-${shot}.png`), timeout: 120_000 });
        for (const complaint of complaints) console.log(complaint);
        await page.close();
      },
    ]),
  ),
);
stop();
