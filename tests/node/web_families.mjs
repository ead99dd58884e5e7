// web_families.mjs MODULE SPEAK_FLOATS FOLDER...: the module speaks by each folder, run by onnxruntime-node, and is compared
// with the library. What is left between the two is how the module cuts, draws noise and chooses speakers.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const ort = require("onnxruntime-node");
const { hostFolder } = require("./static_server.js");
const [module, speakFloats, ...folders] = process.argv.slice(2);
const { Voice } = await import(pathToFileURL(module));

const kIds = Array.from({ length: 40 }, (_, i) => (i * 7) % 30).join(" ");
const kOptions = { input: "ids", seed: 5, noiseScale: 0.5, noiseW: 0.3, lengthScale: 2 };
// Both are ONNX Runtime on the same processor; another version may add up in another order.
const kTolerance = 1e-5;

async function saidBy(folder) {
  const host = await hostFolder(folder);
  const voice = await Voice.load(host.url, { ort, sessionOptions: { intraOpNumThreads: 1 } });
  host.close();
  const speaker = voice.info.numSpeakers > 1 ? 1 : undefined;
  const samples = [];
  let pieces = 0;
  for await (const piece of voice.say(kIds, { ...kOptions, speaker })) {
    samples.push(...piece.samples);
    pieces += 1;
  }
  return { samples, pieces, speaker: speaker ?? "" };
}

function floatsOf(bytes) {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

let most = 0;
for (const folder of folders) {
  const { samples, pieces, speaker } = await saidBy(folder);
  const bytes = execFileSync(speakFloats, [folder, "ids", kIds, "5", "0.5", "0.3", "2", `${speaker}`], { maxBuffer: 1e8 });
  const expected = floatsOf(bytes);
  assert.equal(samples.length, expected.length, folder);
  assert.ok(pieces > 2, folder);
  const difference = samples.reduce((largest, sample, i) => Math.max(largest, Math.abs(sample - expected[i])), 0);
  assert.ok(difference <= kTolerance, `${folder}: differs by ${difference}`);
  most = Math.max(most, difference);
}
console.log(`${folders.length} voices say what the library says; they differ by at most ${most}`);
process.exit(0); // whatever the runtime's threads do
