// Watches and drives a live simulation in a real browser: `npm run test:live`, after `npm ci`. Needs a Chromium
// (CHROMIUM, or /usr/bin/chromium) and cargo, or a built stiction (STICTION).

import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { folder, near, open as openUrl, runAll, state, until, untilPixels } from "./browser.mjs";
import { stiction, view } from "./served.mjs";

const BOX = `
[ground]
friction = 0.5
[[body]]
name = "box"
shape = "box"
size = [0.2, 0.2, 0.2]
mass = 3.0
position = [0.0, 0.0, 0.1]
`;
const WEIGHT = 3 * 9.81;
/** Of the scale at 0.92, four fifths over light ground seen through glass. */
const VIRIDIS_92 = [212, 219, 119];
const PRESSURE = WEIGHT / 0.2 ** 2; // Pa, under the box
/** The box at rest in ground whose pressure is that a millimetre deep. */
const PRESSED = BOX.replace(
  "friction = 0.5",
  `friction = 0.5
soft = { hydroelastic = "compliant", modulus = ${1e3 * PRESSURE}, thickness = 1.0, dissipation = 20.0 }`,
).replace("position = [0.0, 0.0, 0.1]", `position = [0.0, 0.0, 0.099]
soft = { hydroelastic = "rigid" }`);

function sceneFile(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const boxFile = () => sceneFile("box.toml", BOX);

/**
 * Opens the page of a scene, and closes page and server when `use` is done; the page may not have complained. Drawn
 * coarsely: a picture that moves all the time is too much for software rendering otherwise.
 */
async function watching(args, use, options = {}) {
  const { url, stop } = await view(...args);
  try {
    const ours = new RegExp(`^(http|ws)://${new URL(url).host}/|^(data|blob):`);
    const { page, complaints } = await openUrl(url, ours, { deviceScaleFactor: 0.5, ...options });
    await until(page, "s.rendered > 0");
    await use(page, url);
    assert.deepEqual(complaints, []);
    await page.close();
  } finally {
    stop();
  }
}

/** Sends a request as it stands and returns the start of the answer. */
async function raw(url, text) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer);
}

/** What a socket gets that the page opens beside its own: opened or not, and the code it was closed with. */
function speak(page, search, words) {
  return page.evaluate(
    ([search, words]) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://${location.host}/socket${search}`);
        let opened = false;
        socket.onopen = () => {
          opened = true;
          socket.send(typeof words === "string" ? words : new Uint8Array(words));
        };
        socket.onclose = ({ code }) => resolve({ opened, code });
      }),
    [search, words],
  );
}

const tests = {
  async "shows forces that carry a resting box, and a green light"() {
    await watching(["view", boxFile()], async (page) => {
      const shown = await until(page, "s.t > 0.2 && s.light === 'green'");
      near(shown.sumForce[2], WEIGHT, 1e-3, "vertical force");
      // Three corners can carry it as well as four: a solver may choose.
      assert.ok(shown.contacts.stick >= 3 && shown.drawn.forces >= 3 && shown.drawn.points === 4, JSON.stringify(shown.drawn));
      assert.match(await page.locator("#force-vertical").innerText(), /^29\.4[34] N$/);
      // Nothing meets by pressure: neither polygons nor a legend, nor a switch for them.
      assert.deepEqual([shown.polygons, shown.pressureTop], [0, 0]);
      assert.ok(!(await page.locator("#pressure-row").isVisible()) && !(await page.locator("#tool-pressure").isVisible()));
    });
  },

  async "colours what meets by pressure, tells the scale and can leave it out"() {
    await watching(["view", sceneFile("pressed.toml", PRESSED)], async (page) => {
      let shown = await until(page, "s.t > 0.1 && s.polygons > 0");
      near(shown.pressure, PRESSURE, 0.01 * PRESSURE, "pressure under the box");
      assert.equal(shown.pressureTop, 800);
      assert.match(await page.locator("#pressure-top").innerText(), /^0\.8\skPa$/);
      await page.keyboard.press("Space");
      await page.keyboard.press("x"); // bodies become glass
      await page.keyboard.press("3");
      await untilPixels(page, VIRIDIS_92, (count) => count > 100);
      await page.locator("#tool-pressure").click();
      shown = await until(page, "s.settled && s.polygons === 0");
      await untilPixels(page, VIRIDIS_92, (count) => count === 0);
    });
  },

  async "plays, pauses, steps, scrubs back and goes on from there"() {
    await watching(["view", "ball"], async (page) => {
      await until(page, "s.t > 0.3 && s.playing");
      await page.keyboard.press("Space");
      let shown = await until(page, "!s.playing");
      await page.keyboard.press("ArrowRight");
      const { t } = shown;
      shown = await until(page, `s.t > ${t}`);
      near(shown.t - t, 0.001, 0.02, "one step, and what came before the pause");

      await page.evaluate("window.__stiction.seek(0.1)");
      shown = await until(page, "s.t < 0.2 && s.settled");
      assert.ok(shown.poses[2] > 1.0, "the ball is high again");
      const past = shown.t;
      // So slowly that there is time to look.
      await page.evaluate('window.__stiction.send({ do: "speed", factor: 0.001 })');
      await page.keyboard.press("Space");
      shown = await until(page, `s.playing && s.t > ${past}`);
      assert.ok(shown.span[1] < t, "what came later never happened");
      await page.keyboard.press("Backspace");
      await until(page, `s.t < ${past}`);
      await page.keyboard.press("ArrowUp");
      await until(page, "s.speed === 0.1"); // the usual one after the slowest
    });
  },

  async "grabs a body with the mouse, lifts it, and lets it go"() {
    await watching(["view", boxFile()], async (page) => {
      await until(page, "s.t > 0.1");
      const [x, y] = await page.evaluate("window.__stiction.pixelOf([0, 0, 0.1])");
      await page.mouse.move(x, y);
      await page.mouse.down();
      await until(page, "s.held === 0 && s.status.held !== null");
      await page.mouse.move(x, y - 220, { steps: 5 });
      // Held beside its middle it hangs over an edge; the hand carries a part of it.
      await until(page, `s.poses[2] > 0.115 && s.sumForce[2] < ${0.8 * WEIGHT}`);
      await page.mouse.up();
      const carried = `Math.abs(s.sumForce[2] - ${WEIGHT}) < ${0.1 * WEIGHT}`;
      await until(page, `s.held === null && s.status.held === null && s.poses[2] < 0.102 && s.light === 'green' && ${carried}`);
    });
  },

  async "switches contact solvers and sets ghosts beside, live"() {
    await watching(["view", "cube-slide"], async (page) => {
      await page.locator("#solver").selectOption("ccp-pgs");
      let shown = await until(page, "s.contactModel === 'ccp-pgs' && s.status.solver === 'ccp-pgs'");
      await page.locator("#ghosts-part summary").click();
      await page.locator('#ghosts input[value="nsgs"]').check();
      await page.locator('#ghosts input[value="raisim"]').check();
      shown = await until(page, "s.runs === 3 && s.poses.length === 21");
      assert.deepEqual(shown.status.ghosts.toSorted(), ["nsgs", "raisim"]);
      await page.keyboard.press("g");
      await until(page, "!s.apart");
      await page.locator('#ghosts input[value="nsgs"]').uncheck();
      await page.locator('#ghosts input[value="raisim"]').uncheck();
      await until(page, "s.runs === 0 && s.poses.length === 7");
    });
  },

  async "moves joints and steers actuators"() {
    await watching(["view", "quadruped"], async (page) => {
      await until(page, "s.t > 0.1 && s.light === 'green'");
      await page.locator("#actuators-part summary").click();
      const input = page.locator("#actuators input").nth(1);
      await input.fill("1.2");
      await until(page, "Math.abs(s.status.control[1] - 1.2) < 0.01 && s.joints[1] > 0.9");
      await page.locator("#joints-part summary").click();
      await page.keyboard.press("Space");
      await until(page, "!s.playing");
      await page.locator("#joints input").nth(0).fill("0.5");
      await until(page, "Math.abs(s.joints[0] - 0.5) < 0.01");
    });
  },

  async "shows what is inside, trails and plots"() {
    await watching(["view", "quadruped"], async (page) => {
      for (const key of ["j", "w", "i", "a", "y", "p"]) await page.keyboard.press(key);
      const shown = await until(page, "s.inside.length === 4 && s.trail && s.plots && s.t > 0.3");
      assert.deepEqual(shown.inside, ["frames", "masses", "inertias", "joints"]);
      assert.equal(await page.locator("#plots .uplot").count(), 6);
      for (const key of ["j", "w", "i", "a", "y", "p"]) await page.keyboard.press(key);
      await until(page, "s.inside.length === 0 && !s.trail && !s.plots");
    });
  },

  async "a second page sees the same run, and without pages it rests"() {
    await watching(["view", boxFile()], async (page, url) => {
      await page.locator("#play").click();
      await until(page, "!s.playing");
      const { page: other } = await openUrl(url, /./);
      const { t } = await until(other, "s.rendered > 0");
      near(t, (await state(page)).t, 1e-9, "both show the same instant");
      await other.close();
    });
  },

  async "fits a phone"() {
    await watching(
      ["view", "quadruped"],
      async (page) => {
        const boxes = {};
        for (const part of ["panel", "tools", "transport"]) {
          const box = await page.locator(`#${part}`).boundingBox();
          assert.ok(box.x >= 0 && box.x + box.width <= 360.5, `#${part} is inside the window`);
          assert.ok(box.y >= 0 && box.y + box.height <= 640.5, `#${part} is inside the window`);
          boxes[part] = box;
        }
        assert.ok(boxes.tools.y + boxes.tools.height <= boxes.transport.y, "tools and bar do not overlap");
        assert.ok(boxes.panel.x + boxes.panel.width <= boxes.tools.x, "panel and tools do not overlap");
      },
      { viewport: { width: 360, height: 640 }, hasTouch: true, colorScheme: "dark" },
    );
  },

  async "opens a replay, and a recording in MCAP, from its file"() {
    for (const file of ["box.html", "box.mcap"]) {
      await stiction("run", boxFile(), "--replay", join(folder, file), "--duration", "0.5");
      await watching(["replay", join(folder, file)], async (page) => {
        const shown = await until(page, "s.frames >= 30 && s.t > 0.1");
        assert.equal(shown.status, null);
        assert.equal(shown.scene, "box");
        near(shown.sumForce[2], WEIGHT, 1e-3, "vertical force");
      });
    }
  },

  async "serves nothing to who lacks the token, and takes no malformed word"() {
    await watching(["view", boxFile()], async (page, url) => {
      const { host, origin, search } = new URL(url);
      const get = (path, headers = "") => raw(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`);
      for (const path of ["/", "/?token=", "/?token=0123456789abcdef0123456789abcdef", `/${search}0`]) {
        assert.match(await get(path), /^HTTP\/1.1 403 /, path);
      }
      for (const path of ["/../../../../etc/passwd", "/etc/passwd", "//etc/passwd", "/%2e%2e/Cargo.toml", `/index.html${search}`]) {
        assert.match(await get(path), /^HTTP\/1.1 40[0-9] /, path);
      }
      assert.match(await get(`/${search}`), /^HTTP\/1.1 200 /);
      assert.match(await raw(url, `GET /${search} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`), /^HTTP\/1.1 403 /);

      const upgrade = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
      const asked = (path, from) => raw(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nOrigin: ${from}\r\n${upgrade}\r\n`);
      assert.match(await asked(`/socket${search}`, "https://evil.example"), /^HTTP\/1.1 403 /);
      assert.match(await asked(`/socket${search}`, "null"), /^HTTP\/1.1 403 /);
      assert.match(await asked("/socket", origin), /^HTTP\/1.1 403 /);

      for (const words of ["nonsense", '{"do":"explode"}', '{"do":"step","count":-1}', "x".repeat(5000), [1, 2, 3]]) {
        const { opened, code } = await speak(page, search, words);
        assert.ok(opened && [1006, 1008, 1009].includes(code), `${words} → ${code}`);
      }
      const { t } = await state(page);
      await until(page, `s.t > ${t}`); // and the simulation goes on
    });
  },
};

await runAll(tests);
