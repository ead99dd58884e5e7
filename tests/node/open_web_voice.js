// open_web_voice.js FOLDER ORDERS [SCREENSHOTS]: a browser speaks by the page and the module of the folders letters, bundled and
// speakers, which were exported for the web. ORDERS.json has what they are to say, and ORDERS.N.f32 what the library makes of that.
const assert = require("node:assert");
const fs = require("node:fs");
const { chromium } = require("playwright-core");
const { hostFolder } = require("./static_server.js");

const [folder, orders, screenshots] = process.argv.slice(2);
const letters = `${folder}/letters`;

// The order in which sums are added up differs between kinds of processors. This is a third of a step of 16 bits; the
// bundled voice with and without `--plain` differs by 5e-6 on one processor already.
const kTolerance = 1e-5;

// until(page, ) would evaluate text, which some pages forbid.
async function until(page, condition, seconds = 60) {
  for (let i = 0; i < seconds * 20; i += 1) {
    if (await page.evaluate(condition)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it did not become so: ${condition}; the page says: ${await page.locator("#status").textContent()}`);
}

async function openPage(browser, url, troubles) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
  page.on("pageerror", (error) => troubles.push(`${error}`));
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("request", (request) => [url, "data:", "blob:"].some((start) => request.url().startsWith(start)) ||
    troubles.push(`it asks for ${request.url()}`));
  await page.goto(url);
  return page;
}

function sayInPage(page, order) {
  return page.evaluate(async ({ text, options, phonemised }) => {
    const { Voice } = await import("./voxport.js");
    const ort = await import("./ort/ort.wasm.min.mjs");
    const { phonemise } = phonemised ? await import("./phonemise.js") : {};
    globalThis.voice ??= await Voice.load("./", { ort, phonemise });
    const pieces = [], sentences = [], times = [];
    for await (const { samples, starts } of globalThis.voice.say(text, { ...options, seed: BigInt(options.seed ?? 0) })) {
      pieces.push(...samples);
      times.push(performance.now());
      if (starts) sentences.push(starts);
    }
    return { samples: pieces, sentences, first: times[0], last: times.at(-1), pieces: times.length,
      rate: globalThis.voice.info.sampleRate };
  }, order);
}

function floatsOf(file) {
  const bytes = fs.readFileSync(file);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function largestDifference(a, b) {
  assert.equal(a.length, b.length);
  return a.reduce((most, sample, i) => Math.max(most, Math.abs(sample - b[i])), 0);
}

async function compareWithLibrary(page, voice) {
  for (const [i, order] of JSON.parse(fs.readFileSync(`${orders}.json`)).entries()) {
    if (order.voice !== voice) continue;
    const said = await sayInPage(page, order);
    const samples = floatsOf(`${orders}.${i}.f32`);
    const difference = largestDifference(said.samples, samples);
    console.log(`${JSON.stringify(order)}: ${samples.length} samples in ${said.pieces} pieces, differs by ${difference}`);
    assert.ok(difference <= kTolerance, `differs by ${difference}`);
    assert.ok(said.pieces > said.sentences.length, "it streams within the sentence");
    assert.ok(said.first < said.last, "audio is there before the end");
    assert.equal(Math.round(said.sentences.at(-1).end * said.rate), samples.length);
    for (const { phonemes, start, end } of said.sentences)
      assert.ok(phonemes[0].start === start && Math.abs(phonemes.at(-1).end - end) < 1e-9);
  }
}

async function stopWithSignal(page) {
  const pieces = await page.evaluate(async () => {
    const abort = new AbortController();
    let count = 0;
    try {
      for await (const _piece of globalThis.voice.say("this goes on and on and on.", { signal: abort.signal })) {
        count += 1;
        abort.abort();
      }
    } catch (error) {
      return { count, name: error.name };
    }
    return null;
  });
  assert.deepEqual(pieces, { count: 1, name: "AbortError" });
}

async function refuseWrongOptions(page) {
  const messages = await page.evaluate(async () => {
    const said = [];
    for (const options of [{ speaker: "nobody" }, { noiseScale: -1 }, { seed: 0.5 }, { input: "song" }, { chunkFrames: 0 }])
      await globalThis.voice.say("a.", options).next().catch(({ message }) => said.push(message));
    for (const ids of ["1 x", "1 48", "0 ".repeat(5001)])
      await globalThis.voice.say(ids, { input: "ids" }).next().catch(({ message }) => said.push(message));
    return said;
  });
  assert.deepEqual(messages, [
    "there is no speaker 'nobody', expected a name or a number from 0 to 0",
    "the option noiseScale is -1, expected a number from 0 to 100",
    "the seed is 0.5, expected a whole number from 0",
    'the input is "song", expected text, phonemes, ids',
    "the option chunkFrames is 0, expected a number from 1 to 2147483648",
    'line 1: found "x", expected a phoneme id, 0 to 47',
    'line 1: found "48", expected a phoneme id, 0 to 47',
    "a sentence has 5001 ids, expected at most 5000: its memory grows with their square",
  ]);
}

async function shoot(page, name) {
  if (!screenshots) return;
  await page.locator("#scroll").scrollIntoViewIfNeeded(); // else its words are not painted
  await new Promise((resolve) => setTimeout(resolve, 300));
  await page.screenshot({ path: `${screenshots}/${name}.png`, fullPage: true });
}

async function speakByThePage(page) {
  await page.getByRole("textbox", { name: "Text" }).fill("Hello world. This is a second sentence. " + "It goes on for a while. ".repeat(20) + "ж");
  await page.keyboard.press("Control+Enter");
  await until(page, () => document.body.dataset.heardBeforeEnd !== undefined);
  await until(page, () => document.querySelectorAll("#labels .word").length > 5);
  await shoot(page, "web-speaking");
  await until(page, () => document.body.dataset.made === "true");
  const seen = await page.evaluate(() => ({
    heard: document.body.dataset.heardBeforeEnd,
    gaps: document.getElementById("gaps").textContent,
    words: [...document.querySelectorAll("#labels .word")].slice(0, 2).map((word) => word.textContent),
    sentences: document.querySelectorAll("#sentences li").length,
    first: document.getElementById("first").textContent,
    factor: Number(document.getElementById("factor").textContent),
    info: document.getElementById("info").textContent,
    unknown: document.getElementById("unknown").textContent,
  }));
  console.log(JSON.stringify(seen));
  assert.equal(seen.heard, "yes");
  assert.equal(seen.gaps, "0");
  assert.deepEqual(seen.words, ["Hello", "world."]);
  assert.equal(seen.sentences, 22);
  assert.match(seen.first, /^\d+ ms$/);
  assert.match(seen.info, /en_US.*22050 Hz.*text, phonemes, ids/);
  assert.equal(seen.unknown, "The voice does not know ж, which was left out.");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Download WAV").click()]);
  const wav = fs.readFileSync(await download.path());
  assert.equal(wav.toString("latin1", 0, 4), "RIFF");
  assert.equal(wav.readUInt32LE(40), wav.length - 44);
  await page.keyboard.press("Escape");
  await until(page, () => document.body.dataset.state === "done");
}

async function fitAPhone(page) {
  await page.setViewportSize({ width: 360, height: 740 });
  await shoot(page, "web-phone");
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than a phone`);
  const unnamed = await page.evaluate(() =>
    [...document.querySelectorAll("input, select, textarea")].filter(({ labels }) => labels.length === 0).length);
  assert.equal(unnamed, 0);
}

function withIds(bytes) {
  const json = JSON.parse(bytes);
  json.phoneme_id_map.a = [99];
  return JSON.stringify(json);
}

// What is wrong with a folder, and what the page says of it.
const kBroken = [
  ["ort/ort.wasm.min.mjs", () => null, /^onnxruntime-web cannot be loaded \(.*\): README\.md, beside this page, says how/],
  ["voice.json", () => null, /^cannot load http.*\/voice\.json: 404 Not Found$/],
  ["voice.json", (bytes) => bytes.subarray(0, 99), /^voice\.json cannot be read: /],
  ["voice.json", () => "[]", /^voice\.json cannot be read: it is no JSON object$/],
  ["voice.json", withIds,
    /^voice\.json has \[99\] as the ids of "a", expected a list of ids from 0 to 47$/],
  ["encoder.onnx", (bytes) => bytes.subarray(0, bytes.length / 2), /^encoder\.onnx cannot be loaded: it is cut off$/],
  ["decoder_stream.onnx", () => "nothing of ONNX", /^decoder_stream\.onnx cannot be loaded: /],
  ["decoder_stream.onnx", () => fs.readFileSync(`${letters}/encoder.onnx`),
    /^decoder_stream\.onnx has no input 'z', expected a graph that voxport wrote$/],
  ["decoder_stream.onnx", (bytes) => Buffer.from(bytes.toString("latin1").replaceAll("next_state", "text_state"), "latin1"),
    /^decoder_stream\.onnx takes 'state.*' but gives no 'next_state.*'$/],
  ["decoder_stream.onnx", (bytes) => Buffer.from(bytes.toString("latin1").replace("voxport.first_frames", "voxport.first_flames"), "latin1"),
    /^decoder_stream\.onnx has null as voxport\.first_frames in its metadata, expected a number above 0$/],
];

async function refuseBrokenFolders(browser) {
  for (const [name, change, message] of kBroken) {
    const whole = fs.readFileSync(`${letters}/${name}`);
    const broken = change(whole);
    fs.rmSync(`${letters}/${name}`);
    if (broken !== null) fs.writeFileSync(`${letters}/${name}`, broken);
    const host = await hostFolder(letters);
    const page = await openPage(browser, host.url, []);
    await until(page, () => document.body.dataset.state === "error");
    assert.match(await page.locator("#status").textContent(), message);
    assert.ok(await page.getByRole("button", { name: "Speak" }).isDisabled());
    await page.close();
    host.close();
    fs.writeFileSync(`${letters}/${name}`, whole);
  }
}

// Does something on the page of a folder, which must neither report errors nor look elsewhere.
async function onPage(browser, folder, action) {
  const host = await hostFolder(folder);
  const troubles = [];
  const page = await openPage(browser, host.url, troubles);
  await until(page, () => document.getElementById("status").textContent === "Ready.");
  await action(page);
  assert.deepEqual(troubles, []);
  await page.close();
  host.close();
}

async function main() {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--use-fake-device-for-media-stream"],
  });
  await onPage(browser, letters, async (page) => {
    await compareWithLibrary(page, "letters");
    await stopWithSignal(page);
    await refuseWrongOptions(page);
    await speakByThePage(page);
    await fitAPhone(page);
  });
  for (const voice of ["bundled", "speakers"])
    await onPage(browser, `${folder}/${voice}`, (page) => compareWithLibrary(page, voice));
  await refuseBrokenFolders(browser);
  await browser.close();
}

main().then(() => process.exit(0), (error) => {
  console.error(`FAILED: ${error.stack}`);
  process.exit(1);
});
