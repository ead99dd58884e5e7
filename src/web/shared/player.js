// Plays pieces of audio one after the other, without a gap as long as the next one is there.
// Begins with so many seconds of audio, for the next pieces may take longer than the first.
const kFirstSeconds = 0.2;

class Player extends AudioWorkletProcessor {
  constructor() {
    super();
    this.pieces = [];
    this.at = 0; // in the first piece
    this.played = 0;
    this.gaps = 0;
    this.isEnded = false;
    this.peak = 0;
    this.waiting = 0; // samples that came before it begins
    this.hasBegun = false;
    this.port.onmessage = ({ data }) => {
      if (data.samples) this.pieces.push(data.samples);
      if (data.end) this.isEnded = true;
      this.waiting += data.samples?.length ?? 0;
      this.hasBegun ||= this.isEnded || this.waiting >= kFirstSeconds * sampleRate;
    };
  }

  // Whether a gap is heard: there was audio, and there will be more.
  fill(out) {
    let filled = 0;
    while (filled < out.length && this.pieces.length > 0) {
      const piece = this.pieces[0];
      const count = Math.min(out.length - filled, piece.length - this.at);
      out.set(piece.subarray(this.at, this.at + count), filled);
      filled += count;
      this.at += count;
      if (this.at < piece.length) continue;
      this.pieces.shift();
      this.at = 0;
    }
    if (this.played > 0 && filled < out.length && !this.isEnded && !this.isInGap) this.gaps += 1;
    this.isInGap = filled < out.length;
    this.played += filled;
    for (const sample of out) this.peak = Math.max(this.peak, Math.abs(sample));
  }

  process(_inputs, [[out]]) {
    if (!this.hasBegun) return true;
    this.fill(out);
    const isOver = this.isEnded && this.pieces.length === 0;
    this.port.postMessage({ played: this.played, gaps: this.gaps, peak: this.peak, isOver });
    return !isOver;
  }
}
registerProcessor("player", Player);
