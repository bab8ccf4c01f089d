// What the tests of the page share: a real Chromium (CHROMIUM, or /usr/bin/chromium), complaints collected, colours
// counted on the screen.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const START = 300_000; // ms; software rendering on a busy machine is slow, and a condition waits no longer than it must
const LIMIT = 25 * 60_000; // ms, for all tests of a file
export const SLIDE = [0xd5, 0x5e, 0x00];
export const STICK = [0x00, 0x72, 0xb2];

export const folder = mkdtempSync(join(tmpdir(), "stiction-page-"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  timeout: START,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

/** Opens an address; every complaint of the page, and every request to anything but `allowed`, is collected. */
export async function open(url, allowed = /^(file|data|blob):/, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 640 }, colorScheme: "light", ...options });
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!allowed.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  page.setDefaultTimeout(START);
  await page.goto(url);
  return { page, complaints };
}

export const ready = (page) => until(page, "s.rendered > 0");

export const state = (page) => page.evaluate("window.__stiction.state()");

/** Waits until the state `s` of the page is as wanted. (The page forbids eval, so it is asked from here.) */
export async function until(page, condition, patience = START) {
  for (const end = Date.now() + patience; ; ) {
    const held = await page.evaluate(`(() => { const s = window.__stiction?.state(); return s && (${condition}) ? s : null; })()`);
    if (held) return held;
    if (Date.now() > end) throw new Error(`never: ${condition}; but ${JSON.stringify(await page.evaluate("window.__stiction?.state()"))}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Pauses at t and waits until that is on the screen. */
export async function seek(page, t) {
  await page.evaluate((t) => {
    window.__stiction.pause();
    window.__stiction.seek(t);
  }, t);
  await until(page, "s.settled");
}

/** Waits until as many pixels of the stage have a colour as wanted: a picture takes its time to the screen. */
export async function untilPixels(page, colour, wanted) {
  for (const end = Date.now() + START; ; ) {
    const count = await pixels(page, colour);
    if (wanted(count)) return;
    assert.ok(Date.now() < end, `${count} pixels of colour ${colour} never became ${wanted}`);
  }
}

/** How many pixels of the stage, away from panel and bar, have a colour. */
async function pixels(page, [r, g, b], clip = { x: 300, y: 60, width: 620, height: 480 }) {
  const picture = (await page.screenshot({ clip })).toString("base64");
  return page.evaluate(
    async ({ picture, r, g, b }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${picture}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const pen = canvas.getContext("2d");
      pen.drawImage(image, 0, 0);
      const { data } = pen.getImageData(0, 0, image.width, image.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 30) count++;
      }
      return count;
    },
    { picture, r, g, b },
  );
}

export const near = (value, wanted, tolerance, what) =>
  assert.ok(Math.abs(value - wanted) <= tolerance, `${what}: ${value}, not ${wanted}`);

/** Runs each test, tells how it went, and leaves nothing behind, however it ends. */
export async function runAll(tests) {
  const wanted = process.argv[2] ?? "";
  let failed = 0;
  let running = "";
  // Leaving the process ends the browser (Playwright sees to it) and every server (served.mjs).
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  const alarm = setTimeout(() => {
    console.log(`FAIL  ${running}\nstill running after ${LIMIT / 60_000} minutes in all`);
    process.exit(1);
  }, LIMIT);
  for (const [what, run] of Object.entries(tests)) {
    if (!what.includes(wanted)) continue;
    running = what;
    const start = Date.now();
    try {
      await run();
      console.log(`ok    ${what} (${((Date.now() - start) / 1e3).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`FAIL  ${what}\n${error.stack}`);
    }
    // A page that a failed test left open would go on drawing.
    await Promise.all(browser.contexts().map((context) => context.close()));
  }
  clearTimeout(alarm);
  await browser.close();
  process.exitCode = failed > 0 ? 1 : 0;
}
