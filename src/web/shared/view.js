// What the pages have in common: the elements of their forms, the figures of a speech, and the end of it.
import { Picture } from "./picture.js";
import { Playback } from "./playback.js";
import { wavOf } from "./wav.js";

export const element = (id) => document.getElementById(id);

/** Says something in the line of status, which screen readers read out. */
export function say(text, isError = false) {
  element("status").textContent = text;
  element("status").classList.toggle("error", isError);
}

export function showValue(id) {
  element(`${id}-value`).textContent = Number(element(id).value).toFixed(2);
}

export function showSpeakers(names, count) {
  const speakers = names.length > 0
    ? names
    : Array.from({ length: Math.min(count, 1000) }, (_, id) => ({ name: `${id}`, id }));
  element("speaker").replaceChildren(...speakers.map(({ name, id }) => new Option(name, `${id}`)));
  element("speaker-label").hidden = count < 2;
}

/**
 * One text from the button to its last sample: it plays, draws and measures what a page gives it, and ends.
 * `document.body.dataset` has its state.
 */
export class Speech {
  #pieces = []; // of 16 bits, for the file
  #samples = 0;

  /**
   * @param {number} rate samples of a second
   * @param {() => void} onEnd is called once, when it was played, stopped, or went wrong
   */
  constructor(rate, onEnd) {
    for (const key of ["made", "heardBeforeEnd", "first", "peak"]) delete document.body.dataset[key];
    for (const id of ["first", "factor", "duration", "gaps"]) element(id).textContent = "–";
    document.body.dataset.state = "speaking";
    element("stop").disabled = false;
    say("Speaking.");
    this.asked = performance.now();
    this.rate = rate;
    this.onEnd = onEnd;
    this.isMade = false;
    this.isOver = false;
    this.picture = new Picture(rate);
    this.playback = new Playback(rate, (played) => this.#onPlayed(played));
  }

  /** @param {{text: string, end: number, phonemes: {phoneme: string, start: number, end: number}[]}} sentence */
  addSentence(sentence) { this.picture.addSentence(sentence); }

  /**
   * @param {Float32Array} samples
   * @param {ArrayBuffer} pcm the same with 16 bits
   */
  addAudio(samples, pcm) {
    if (this.isOver) return;
    if (this.#samples === 0) {
      document.body.dataset.first = performance.now() - this.asked;
      element("first").textContent = `${Math.round(performance.now() - this.asked)} ms`;
    }
    this.#pieces.push(pcm);
    this.#samples += samples.length;
    this.picture.addSamples(samples);
    this.playback.play(samples);
    const seconds = this.#samples / this.rate;
    element("duration").textContent = `${seconds.toFixed(2)} s`;
    element("factor").textContent = ((performance.now() - this.asked) / 1000 / seconds).toFixed(3);
  }

  /** There is no more audio. */
  made() {
    this.isMade = true;
    document.body.dataset.made = "true";
    this.playback.end();
    const link = element("download");
    if (link.href) URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(wavOf(this.#pieces, this.rate));
    link.download = "speech.wav";
    link.removeAttribute("aria-disabled");
    say("All was made, and is being played.");
  }

  #onPlayed({ played, gaps, peak, isOver }) {
    if (this.isOver) return;
    if (played > 0 && !document.body.dataset.heardBeforeEnd)
      document.body.dataset.heardBeforeEnd = this.isMade ? "no" : "yes";
    document.body.dataset.peak = peak;
    element("gaps").textContent = `${gaps}`;
    this.picture.showHead(played);
    if (isOver) this.end("Done.");
  }

  end(text, isError = false) {
    if (this.isOver) return;
    this.isOver = true;
    this.isMade = true; // as much as will be
    this.playback.close();
    this.onEnd();
    document.body.dataset.state = isError ? "error" : "done";
    element("stop").disabled = true;
    say(text, isError);
  }
}

/**
 * The buttons and keys of a page.
 * @param {() => void} speak
 * @param {() => void} stop
 * @param {string[]} sliders the ids of those that show their value
 */
export function listen(speak, stop, sliders) {
  element("form").addEventListener("submit", (event) => {
    event.preventDefault();
    speak();
  });
  element("stop").addEventListener("click", stop);
  for (const id of sliders) element(id).addEventListener("input", () => showValue(id));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) speak();
    if (event.key === "Escape") stop();
  });
}
