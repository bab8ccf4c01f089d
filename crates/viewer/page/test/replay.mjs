// Plays a sample replay in a real browser: `npm test`, after `npm ci`. Needs a Chromium (CHROMIUM, or /usr/bin/chromium)
// and cargo, or a built `sample_replay` example (SAMPLE_REPLAY).

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { folder, near, open as openUrl, ready, runAll, seek, SLIDE, START, state, STICK, until, untilPixels } from "./browser.mjs";

const WEIGHT = 6 * 9.81; // N, of the sample's two boxes

function sample(file, ...name) {
  const path = join(folder, file);
  const built = process.env.SAMPLE_REPLAY;
  const cargo = ["run", "--quiet", "-p", "stiction-viewer", "--example", "sample_replay", "--"];
  if (built) execFileSync(built, [path, ...name]);
  else execFileSync("cargo", [...cargo, path, ...name], { stdio: ["ignore", "inherit", "inherit"] });
  return path;
}

const open = (path, options) => openUrl(pathToFileURL(path).href, undefined, options);

const tests = {
  async "plays by itself, pauses, steps and scrubs"() {
    const { page, complaints } = await open(sample("sample.html"));
    await ready(page);
    assert.equal(await page.title(), "Sliding stack");
    assert.equal((await state(page)).playing, true);
    const before = await state(page);
    await until(page, `s.frame !== ${before.frame}`);

    await page.keyboard.press("Space");
    assert.equal((await state(page)).playing, false);
    await seek(page, 1);
    const { frame } = await state(page);
    assert.equal(frame, 240);
    await page.keyboard.press("ArrowRight");
    assert.equal((await state(page)).frame, frame + 1);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    assert.equal((await state(page)).frame, frame - 1);
    await page.keyboard.press("End");
    assert.equal((await state(page)).frame, 599);
    await page.keyboard.press("ArrowUp");
    assert.equal((await state(page)).speed, 2);

    const track = await page.locator("#track").boundingBox();
    await page.mouse.click(track.x + track.width / 2, track.y + track.height / 2);
    const { t, span } = await state(page);
    near(t, (span[0] + span[1]) / 2, 0.01, "time in the middle of the bar");
    assert.deepEqual(complaints, []);
    await page.close();
  },

  async "shows the weight at rest and the friction limit while sliding"() {
    const { page, complaints } = await open(sample("sample.html"));
    await ready(page);
    await seek(page, 2);
    let shown = await state(page);
    assert.deepEqual(shown.contacts, { open: 0, stick: 8, slide: 0 });
    near(shown.sumForce[2], WEIGHT, 1e-4, "vertical force at rest"); // forces travel in single precision
    near(shown.sumForce[0], 0, 1e-4, "horizontal force at rest");
    assert.equal(await page.locator("#force-vertical").innerText(), "58.86 N"); // and visible

    await seek(page, 0.4);
    shown = await state(page);
    assert.deepEqual(shown.contacts, { open: 0, stick: 4, slide: 4 });
    near(shown.sumForce[2], WEIGHT, 1e-4, "vertical force while sliding");
    near(shown.sumForce[0], -0.4 * WEIGHT, 1e-4, "friction while sliding");

    await seek(page, 0.05);
    shown = await state(page);
    assert.deepEqual(shown.contacts, { open: 8, stick: 0, slide: 0 });
    assert.deepEqual(shown.sumForce, [0, 0, 0]);
    assert.deepEqual(complaints, []);
    await page.close();
  },

  async "draws points, arrows and cones in the colours of the legend, and hides them"() {
    const { page, complaints } = await open(sample("sample.html"));
    await ready(page);
    await seek(page, 0.4);
    assert.deepEqual((await state(page)).drawn, { points: 8, forces: 8, cones: 8 });
    await untilPixels(page, SLIDE, (count) => count > 300);
    await untilPixels(page, STICK, (count) => count > 30);
    await page.keyboard.press("f");
    await page.keyboard.press("c");
    await page.keyboard.press("b");
    assert.deepEqual((await state(page)).drawn, { points: 0, forces: 0, cones: 0 });
    await until(page, "s.settled");
    await untilPixels(page, SLIDE, (count) => count === 0);
    await untilPixels(page, STICK, (count) => count === 0);
    assert.deepEqual(complaints, []);
    await page.close();
  },

  async "answers the keyboard and the mouse"() {
    const { page, complaints } = await open(sample("sample.html"));
    await ready(page);
    await seek(page, 2);
    await page.keyboard.press("h");
    assert.ok(await page.locator("#help").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator("#help").isVisible()));
    await page.keyboard.press("t");
    assert.equal((await state(page)).followed, 0);
    const [x, y, z] = (await until(page, "s.settled")).poses;
    const [left, top] = await page.evaluate((at) => window.__stiction.pixelOf(at), [x, y, z]);
    // What is followed is in the middle of what panel, tools and bar leave open.
    const box = async (id) => page.locator(id).boundingBox();
    const [panel, tools, bar] = [await box("#panel"), await box("#tools"), await box("#transport")];
    near(left, (panel.x + panel.width + tools.x) / 2, 2, "across");
    near(top, bar.y / 2, 2, "down");
    await page.mouse.click(left, top);
    assert.equal((await state(page)).picked, 0);
    await page.keyboard.press("d");
    assert.equal((await state(page)).theme, "dark");
    await page.locator("#tool-xray").click();
    assert.equal((await state(page)).seeThrough, true);
    await page.keyboard.press("Space"); // the button gave the keyboard back
    assert.equal((await state(page)).playing, true);
    assert.deepEqual(complaints, []);
    await page.close();
  },

  async "fits a phone"() {
    const { page, complaints } = await open(sample("sample.html"), {
      viewport: { width: 360, height: 640 },
      hasTouch: true,
      colorScheme: "dark",
    });
    await ready(page);
    assert.equal((await state(page)).theme, "dark");
    const boxes = {};
    for (const part of ["panel", "tools", "transport"]) {
      const box = await page.locator(`#${part}`).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 360, `#${part} is inside the window`);
      assert.ok(box.y >= 0 && box.y + box.height <= 640, `#${part} is inside the window`);
      boxes[part] = box;
    }
    assert.ok(boxes.panel.x + boxes.panel.width <= boxes.tools.x, "panel and tools do not overlap");
    assert.ok(boxes.tools.y + boxes.tools.height <= boxes.transport.y, "tools and bar do not overlap");
    assert.ok(!(await page.locator("#panel-body").isVisible()), "the panel starts folded");
    await page.locator("#panel-toggle").tap();
    assert.ok(await page.locator("#energy").isVisible());
    assert.deepEqual(complaints, []);
    await page.close();
  },

  async "takes a hostile name as a name"() {
    const name = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>";
    const { page, complaints } = await open(sample("hostile.html", name));
    await ready(page);
    assert.equal(await page.evaluate("window.hacked"), undefined);
    assert.equal(await page.title(), name);
    assert.equal(await page.locator("#scene-name").textContent(), name);
    assert.deepEqual(complaints, []);
    await page.close();
  },

  async "plays inside the frame of a notebook"() {
    const escaped = readFileSync(sample("sample.html"), "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const notebook = join(folder, "notebook.html");
    writeFileSync(notebook, `<!doctype html><p>A cell</p><iframe srcdoc="${escaped}" width="900" height="480"></iframe>`);
    const { page, complaints } = await open(notebook);
    const frame = page.frames()[1];
    await ready(frame);
    await seek(frame, 2);
    near((await state(frame)).sumForce[2], WEIGHT, 1e-4, "vertical force at rest");
    assert.deepEqual(complaints, []);
    await page.close();
  },

  async "says so when the recording is broken"() {
    const html = readFileSync(sample("sample.html"), "utf8");
    const broken = join(folder, "broken.html");
    writeFileSync(broken, html.replace(/(id="recording">.{400})[^<]*/, "$1"));
    const { page } = await open(broken);
    await page.locator("#failure").waitFor({ timeout: START });
    assert.notEqual(await page.locator("#failure-reason").textContent(), "");
    await page.close();
  },
};

await runAll(tests);
