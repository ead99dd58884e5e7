// The page of a voice: text becomes audio in the browser, by the graphs beside this page.
import { element, listen, say, showSpeakers, showValue, Speech } from "./view.js";
import { Voice } from "./voxport.js";
import { pcmOf } from "./wav.js";

const kInputs = {
  text: ["Text", "Hello! This voice begins to speak before its sentence has been computed. You can hear how soon."],
  phonemes: ["Phonemes", ""],
  ids: ["Phoneme ids", ""],
};

let voice = null;
let speech = null; // the one that is under way

async function loadRuntime() {
  const ort = await import("./ort/ort.wasm.min.mjs").catch((error) => {
    throw new Error(`onnxruntime-web cannot be loaded (${error.message}): README.md, beside this page, says how to put ` +
      "it into the folder 'ort'");
  });
  ort.env.wasm.proxy = true; // in a thread of its own, so that the page answers while it computes
  ort.env.logLevel = "error";
  return ort;
}

// A file of your own beside this page, for voices that speak phonemes of espeak-ng.
async function loadPhonemise() {
  const response = await fetch(new URL("voice.json", import.meta.url));
  const config = response.ok ? await response.json().catch(() => ({})) : {};
  const needsIt = (config?.phoneme_type ?? "espeak") === "espeak" && Object.keys(config?.phoneme_id_map ?? {}).length > 0;
  if (!needsIt) return undefined;
  return import("./phonemise.js").then((module) => module.phonemise, () => undefined);
}

const row = (name, value) => {
  const [term, detail] = [document.createElement("dt"), document.createElement("dd")];
  const group = document.createElement("div");
  term.textContent = name;
  detail.textContent = value;
  group.append(term, detail);
  return group;
};

function showVoice({ info }) {
  element("info").replaceChildren(
    row("Language", info.language || "not named"),
    row("Sample rate", `${info.sampleRate} Hz`),
    row("Speakers", `${info.numSpeakers}`),
    row("Takes", info.takes.join(", ")));
  element("input").replaceChildren(...info.takes.map((kind) => new Option(kInputs[kind][0], kind)));
  showInput();
  showSpeakers(info.speakers, info.numSpeakers);
  element("language-label").hidden = info.numLanguages < 2;
  element("language").replaceChildren(...info.languages.map(({ name, id }) => new Option(name, `${id}`)));
  for (const [id, own] of [["speed", 1], ["noise", info.noiseScale], ["noise-w", info.noiseW]]) {
    element(id).value = own;
    showValue(id);
  }
}

function showInput() {
  const [label, example] = kInputs[element("input").value];
  element("text-label").textContent = label;
  const examples = Object.values(kInputs).map(([, each]) => each);
  if (examples.includes(element("text").value)) element("text").value = example;
}

function options() {
  const { info } = voice;
  return {
    input: element("input").value,
    speaker: info.numSpeakers > 1 ? Number(element("speaker").value) : undefined,
    language: info.numLanguages > 1 ? Number(element("language").value) : undefined,
    seed: Number(element("seed").value) || 0,
    lengthScale: info.lengthScale / Number(element("speed").value),
    noiseScale: Number(element("noise").value),
    noiseW: Number(element("noise-w").value),
  };
}

function showUnknown(symbols) {
  element("unknown").textContent = `The voice does not know ${symbols.join(" ")}, which was left out.`;
}

async function speakInto(mine, signal) {
  const wanted = { ...options(), signal, onUnknown: showUnknown };
  for await (const { samples, starts } of voice.say(element("text").value, wanted)) {
    if (starts) mine.addSentence(starts);
    mine.addAudio(samples, pcmOf(samples));
  }
  mine.made();
}

async function speak() {
  if (!voice) return;
  speech?.end("Stopped.");
  element("unknown").textContent = "";
  const abort = new AbortController();
  const mine = new Speech(voice.info.sampleRate, () => {
    abort.abort();
    if (speech === mine) speech = null;
  });
  speech = mine;
  try {
    await Promise.all([mine.playback.open(), speakInto(mine, abort.signal)]);
  } catch (error) {
    if (error.name !== "AbortError") mine.end(error.message, true);
  }
}

async function load() {
  say("Loading the voice.");
  const [ort, phonemise] = await Promise.all([loadRuntime(), loadPhonemise()]);
  voice = await Voice.load(new URL(".", import.meta.url), { ort, phonemise });
  showVoice(voice);
  element("speak").disabled = false;
  say("Ready.");
}

listen(speak, () => speech?.end("Stopped."), ["speed", "noise", "noise-w"]);
element("input").addEventListener("change", showInput);
load().catch((error) => {
  document.body.dataset.state = "error";
  say(error.message, true);
});
