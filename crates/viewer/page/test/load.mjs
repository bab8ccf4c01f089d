// What 500 bodies cost: `npm run load`, with what live.mjs needs. Boxes that settle on the ground are watched for a while,
// as large as a window can be small, since software rendering takes what processor there is. Told are the frames the page
// got and drew, the processor time of its script for one drawn frame (decoding, placing, telling WebGL; what the graphics
// card does with it is not in it), draw calls, and how fast the simulation ran meanwhile.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, open, runAll, state, until } from "./browser.mjs";
import { view } from "./served.mjs";

const SECONDS = 10;
const BOXES = `
[ground]
friction = 0.6
[[body]]
name = "box"
shape = "box"
size = [0.16, 0.16, 0.16]
mass = 1.0
position = [-2.5, -2.0, 0.0801]
grid = [25, 20, 1]
offset = [0.22, 0.22, 0.22]
`;

/** Processor seconds of the page's main thread in its script, and in all. */
async function thread(client) {
  const { metrics } = await client.send("Performance.getMetrics");
  const of = (wanted) => metrics.find(({ name }) => name === wanted).value;
  return { script: of("ScriptDuration"), all: of("TaskDuration") };
}

await runAll({
  async "500 boxes"() {
    const path = join(folder, "boxes.toml");
    writeFileSync(path, BOXES);
    const { url, stop } = await view("view", path);
    try {
      const { page } = await open(url, /./, { viewport: { width: 320, height: 200 } });
      const client = await page.context().newCDPSession(page);
      await client.send("Performance.enable", { timeDomain: "threadTicks" });
      await until(page, "s.rendered > 2 && s.t > 0.1 && s.poses.length === 3500");
      const [before, start] = [await state(page), await thread(client)];
      await new Promise((resolve) => setTimeout(resolve, 1e3 * SECONDS));
      const [after, end] = [await state(page), await thread(client)];
      const [drawn, got] = [after.rendered - before.rendered, after.frames - before.frames];
      const each = (seconds) => `${((1e3 * seconds) / Math.max(got, 1)).toFixed(2)} ms`;
      console.log(`      frames/s got ${(got / SECONDS).toFixed(1)}, drawn ${(drawn / SECONDS).toFixed(1)}; ${after.calls} draw calls`);
      console.log(`      main thread for a frame got: script ${each(end.script - start.script)}, all ${each(end.all - start.all)}`);
      console.log(`      script for a frame shown and drawn, by the clock: ${after.cost.toFixed(2)} ms (the last)`);
      console.log(`      simulated ${((after.t - before.t) / SECONDS).toFixed(2)} s a second; contacts ${after.drawn.points}`);
      await page.close();
    } finally {
      stop();
    }
  },
});
