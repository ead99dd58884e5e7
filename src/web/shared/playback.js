// Playing audio while it is made.

/**
 * What was played so far, as player.js reports it.
 * @typedef {{played: number, gaps: number, peak: number, isOver: boolean}} Played
 */

export class Playback {
  #early = []; // what comes before the browser can play it
  #node = null;

  /**
   * Begins as soon as there is audio.
   * @param {number} rate samples of a second
   * @param {(played: Played) => void} onPlayed
   */
  constructor(rate, onPlayed) {
    this.context = new AudioContext({ sampleRate: rate });
    this.onPlayed = onPlayed;
  }

  /** Until this is done, audio waits. */
  async open() {
    await this.context.audioWorklet.addModule(new URL("player.js", import.meta.url));
    if (this.context.state === "closed") return;
    this.#node = new AudioWorkletNode(this.context, "player", { numberOfInputs: 0, outputChannelCount: [1] });
    this.#node.port.onmessage = ({ data }) => this.onPlayed(data);
    this.#node.connect(this.context.destination);
    for (const message of this.#early.splice(0)) this.#node.port.postMessage(message);
  }

  /** @param {Float32Array} samples */
  play(samples) { this.#send({ samples }); }

  /** There is no more. */
  end() { this.#send({ end: true }); }

  close() {
    if (this.context.state !== "closed") this.context.close();
  }

  #send(message) {
    if (this.#node) this.#node.port.postMessage(message);
    else this.#early.push(message);
  }
}
