// open_page.js URL TEXT PCM [FOLDER]: types into the page, hears it speak, and keeps screenshots in the folder. What it
// saves is what the file has.
const assert = require("node:assert");
const fs = require("node:fs");
const { chromium } = require("playwright-core");

const [url, text, pcm, folder] = process.argv.slice(2);

async function shoot(page, name) {
  if (!folder) return;
  await page.locator("#scroll").scrollIntoViewIfNeeded(); // else its words are not painted
  await new Promise((resolve) => setTimeout(resolve, 300));
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

// How many pixels of the waveform are drawn, of those that are seen.
const inkOf = (page) => page.evaluate(() => {
  const wave = document.getElementById("wave");
  const { data } = wave.getContext("2d").getImageData(0, 0, wave.width, wave.height);
  return data.filter((value, i) => i % 4 === 3 && value > 0).length;
});

// However long the audio is: browsers have no canvas for all of some minutes.
async function drawsWhatIsSeen(page) {
  assert.ok(await page.evaluate(() => document.getElementById("wave").width < innerWidth));
  assert.ok(await inkOf(page) > 1000);
  await page.evaluate(() => document.getElementById("scroll").scrollTo({ left: 8000, behavior: "instant" }));
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(await inkOf(page) > 1000);
  await page.evaluate(() => document.getElementById("scroll").scrollTo({ left: 0, behavior: "instant" }));
}

// until(page, ) would evaluate text, which the page's policy forbids.
async function until(page, condition, seconds = 30) {
  for (let i = 0; i < seconds * 20; i += 1) {
    if (await page.evaluate(condition)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it did not become so: ${condition}`);
}

async function main() {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--use-fake-device-for-media-stream"],
  });
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(`${error}`));
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("request", (request) => request.url().startsWith(url) || request.url().startsWith("data:") ||
    request.url().startsWith("blob:") || troubles.push(`it asks for ${request.url()}`));
  await page.goto(url);
  await until(page, () => document.getElementById("status").textContent === "Ready.");
  await page.getByLabel("Text").fill(text);
  await page.keyboard.press("Control+Enter");
  await until(page, () => document.body.dataset.heardBeforeEnd !== undefined);
  await until(page, () => Number(document.body.dataset.peak) > 0.01);
  await until(page, () => document.querySelectorAll("#labels .word").length > 20);
  await shoot(page, "speaking");
  await until(page, () => document.body.dataset.made === "true", 60);
  const seen = await page.evaluate(() => ({
    heard: document.body.dataset.heardBeforeEnd,
    gaps: document.getElementById("gaps").textContent,
    words: [...document.querySelectorAll("#labels .word")].map((word) => word.textContent),
    phonemes: document.querySelectorAll("#labels .phoneme").length,
    sentences: document.querySelectorAll("#sentences li").length,
    first: document.getElementById("first").textContent,
    factor: Number(document.getElementById("factor").textContent),
  }));
  console.log(JSON.stringify({ ...seen, words: seen.words.length }));
  assert.equal(seen.heard, "yes");
  assert.equal(seen.gaps, "0");
  assert.deepEqual(seen.words.slice(0, 2), ["Hello", "world!"]);
  assert.deepEqual(seen.words.slice(-6), ["playing", "begins", "long", "before", "the", "end."]);
  assert.ok(seen.phonemes > 50);
  assert.equal(seen.sentences, 15);
  assert.match(seen.first, /^\d+ ms$/);
  assert.ok(seen.factor > 0);

  await page.keyboard.press("Escape");
  await until(page, () => document.body.dataset.state === "done");
  await drawsWhatIsSeen(page);

  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Download WAV").click()]);
  const wav = fs.readFileSync(await download.path());
  assert.equal(wav.toString("latin1", 0, 4), "RIFF");
  assert.equal(wav.readUInt32LE(40), wav.length - 44);
  assert.ok(wav.subarray(44).equals(fs.readFileSync(pcm)), "the page saves something else than voxport speak");

  await page.setViewportSize({ width: 360, height: 740 });
  await shoot(page, "phone");
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than a phone`);
  const unnamed = await page.evaluate(() =>
    [...document.querySelectorAll("input, select, textarea")].filter(({ labels }) => labels.length === 0).length);
  assert.equal(unnamed, 0);
  assert.deepEqual(troubles, []);
  await browser.close();
}

main().catch((error) => {
  console.error(`FAILED: ${error.stack}`);
  process.exit(1);
});
