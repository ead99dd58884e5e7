// Samples as WAV files of 16 bits.

/**
 * Samples from -1 to 1, rounded as `voxport speak` rounds them.
 * @param {Float32Array} samples
 * @returns {ArrayBuffer} little-endian
 */
export function pcmOf(samples) {
  const view = new DataView(new ArrayBuffer(2 * samples.length));
  samples.forEach((sample, i) => view.setInt16(2 * i, Math.round(32767 * Math.min(1, Math.max(-1, sample))), true));
  return view.buffer;
}

/**
 * Samples of 16 bits, little-endian, as numbers from -1 to 1.
 * @param {ArrayBuffer} pcm
 */
export function samplesOf(pcm) {
  const view = new DataView(pcm);
  return Float32Array.from({ length: pcm.byteLength / 2 }, (_, i) => view.getInt16(2 * i, true) / 32768);
}

/**
 * @param {ArrayBuffer[]} pieces samples of 16 bits, one channel
 * @param {number} rate samples of a second
 */
export function wavOf(pieces, rate) {
  const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  const head = new DataView(new ArrayBuffer(44));
  const text = (at, word) => [...word].forEach((c, i) => head.setUint8(at + i, c.charCodeAt(0)));
  text(0, "RIFF"); head.setUint32(4, 36 + bytes, true); text(8, "WAVEfmt ");
  head.setUint32(16, 16, true); head.setUint16(20, 1, true); head.setUint16(22, 1, true);
  head.setUint32(24, rate, true); head.setUint32(28, 2 * rate, true);
  head.setUint16(32, 2, true); head.setUint16(34, 16, true);
  text(36, "data"); head.setUint32(40, bytes, true);
  return new Blob([head, ...pieces], { type: "audio/wav" });
}
