// web_text.mjs MODULE VOXPORT FOLDER...: the module's way from text to ids, by the voice.json of each folder. Beside
// FOLDER, FOLDER.ids.json has what the code of the voice's authors makes of texts, where it was recorded; other texts are
// compared with `voxport speak --print-ids`.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [module, voxport, ...folders] = process.argv.slice(2);
const { readTextConfig, utterancesOf } = await import(pathToFileURL(module));

const kTexts = [
  "Hello world. This is Mr. Smith, of 3.14 St. James Street! Is it? \"Yes.\" she said... and so on. A. B. C.",
  "He met J. R. Smith in the U.S. Army (e.g. at no. 5 and fig. 7). I. It was I. Then no. Nr. 5, vol. two.\n1. Butter\n2. Milk",
  "One line\nthat flows on.\n\nA paragraph  with\ttabs. \r\n\r\nAnother\u2029and the last\u2028line",
  "\ufeff  leading blanks, and at the end  \n",
  "Straße, ǅ İstanbul ΣΊΣΥΦΟΣ ﬁn Éé é ñ — “quoted.” ‘so’ »ja.« nein? ¿qué? Ж \u0000\u0007control",
  "これは文です。次の文！最後？नमस्ते। अगला वाक्य। Ja.Nein. ok",
  "[[ a.b ]] then. [one] x [[never closed. Here. ",
  "word ".repeat(120) + "end, " + "x".repeat(900) + "; tail, " + "ab cd, ".repeat(80) + "。".repeat(3),
  "a".repeat(399) + ". B. " + "c".repeat(395) + " d. E f.",
  "mr. and MRS. dr.x (Dr. who) 7 8 9 k kick Knock 3–4 - 5_6",
  "",
  "...",
];

async function idsOf(config, text, input, isWhole, unknown = []) {
  const lines = [];
  for await (const { ids } of utterancesOf(config, {}, text, input, isWhole, unknown)) lines.push(ids);
  return lines;
}

// What is not spoken: blanks, bos and eos only.
function isNothing(config, ids) {
  const { blank, bos, eos } = config.rules ?? {};
  return ids.every((id) => [blank, bos, eos].includes(id));
}

async function compareWithRecorded(config, file) {
  const json = JSON.parse(fs.readFileSync(file));
  let count = 0;
  for (const given of json.cases ?? json) {
    const unknown = [];
    const made = idsOf(config, given.text ?? given.phonemes, given.text === undefined ? "phonemes" : "text", true, unknown);
    if (given.error && given.phonemes) {
      await assert.rejects(made, /^Error: the voice does not know the phonemes "\^" in /);
      continue;
    }
    if (given.error) { // of text, what the voice does not know is left out
      await made;
      assert.equal(given.error, `not in the table: ${unknown[0]}`);
      continue;
    }
    const [ids, ...more] = await made;
    assert.deepEqual(more, []);
    if (ids === undefined) assert.ok(isNothing(config, given.ids), `${file}: ${JSON.stringify(given)}`);
    else assert.deepEqual(ids, given.ids, `${file}: ${JSON.stringify(given)}`);
    count += 1;
  }
  return count;
}

async function compareWithSpeak(config, folder) {
  const file = `${folder}.text`;
  for (const text of kTexts) {
    fs.writeFileSync(file, text);
    const printed = execFileSync(voxport, ["speak", folder, "--print-ids", "--file", file], { encoding: "utf8", stdio: "pipe" });
    const lines = printed.split("\n").filter(Boolean).map((line) => line.split(" ").map(Number));
    const spoken = lines.filter((ids) => !isNothing(config, ids));
    assert.deepEqual(await idsOf(config, text, "text", false), spoken, `${folder}: ${JSON.stringify(text)}`);
  }
  return kTexts.length;
}

function refusesWhatIsNoText() {
  const espeak = readTextConfig({ phoneme_type: "espeak", espeak: { voice: "en" }, phoneme_id_map: { _: [0], "^": [1], $: [2], a: [3] } });
  const first = async (...given) => utterancesOf(...given, "text", false, []).next();
  const refuses = (made, what) => assert.rejects(made, new RegExp(`^Error: ${what}, expected a string$`));
  return Promise.all([
    refuses(first(espeak, {}, 5), "the text is of type number"),
    refuses(first(espeak, { phonemise: () => undefined }, "a"), "what the function 'phonemise' gives is of type undefined"),
  ]);
}

let recorded = 0, compared = 0;
await refusesWhatIsNoText();
for (const folder of folders) {
  const config = readTextConfig(JSON.parse(fs.readFileSync(`${folder}/voice.json`)));
  if (fs.existsSync(`${folder}.ids.json`)) recorded += await compareWithRecorded(config, `${folder}.ids.json`);
  if (config.type === "text") compared += await compareWithSpeak(config, folder);
}
console.log(`${recorded} recorded texts and ${compared} others have the same ids`);
assert.ok(recorded >= 100 && compared >= 4 * kTexts.length);
