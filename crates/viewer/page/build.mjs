// Bundles src/ into one page, dist/replay.html, with two slots left for the title and the recording (see
// ../src/replay.rs). `node build.mjs --check` only says whether the committed page is what the sources give.

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import esbuild from "esbuild";

const OUT = "dist/replay.html";
const MOST_BYTES = 1_000_000;
const MOST_GZIPPED = 300_000;

const bundle = async (entry, options = {}) => {
  const result = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    target: ["chrome103", "firefox113", "safari16.4"],
    legalComments: "none",
    ...options,
  });
  return result.outputFiles[0].text.trim();
};

const licences = await Promise.all(["three", "uplot"].map((name) => readFile(`node_modules/${name}/LICENSE`, "utf8")));
const script = `/* Contains three.js:\n${licences[0].trim()}\nand uPlot:\n${licences[1].trim()}\n*/\n${await bundle("src/main.ts", { format: "iife", charset: "ascii" })}`;
const style = await bundle("src/page.css");
for (const [what, text, forbidden] of [["script", script, /<\/script|<!--/i], ["style", style, /<\/style/i]]) {
  if (forbidden.test(text)) throw new Error(`the ${what} would end its own element: ${text.match(forbidden)[0]}`);
}

const slots = {
  "script-hash": `sha256-${createHash("sha256").update(script).digest("base64")}`,
  style,
  script,
};
let page = await readFile("src/page.html", "utf8");
for (const [name, content] of Object.entries(slots)) page = page.replace(`<!--slot:${name}-->`, () => content);

const bytes = Buffer.byteLength(page);
const gzipped = gzipSync(page, { level: 9 }).length;
console.log(`${OUT}: ${bytes} bytes, ${gzipped} gzipped`);
if (bytes > MOST_BYTES || gzipped > MOST_GZIPPED) throw new Error("the page is larger than we promised");

if (process.argv.includes("--check")) {
  const committed = await readFile(OUT, "utf8").catch(() => "");
  if (committed !== page) throw new Error(`${OUT} is not what the sources give: run npm run build`);
} else {
  await mkdir("dist", { recursive: true });
  await writeFile(OUT, page);
}
