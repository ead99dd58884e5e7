// Normal numbers that are the same for the same seed: those of src/voice/noise.cpp, so that a seed gives in a browser
// what it gives `voxport speak`.

/** Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): SplitMix64, in halves of 32 bits. */
class Bits {
  /** @param {bigint} seed */
  constructor(seed) {
    this.stateHigh = Number(BigInt.asUintN(32, seed >> 32n));
    this.stateLow = Number(BigInt.asUintN(32, seed));
    this.high = 0; // of what was drawn last
    this.low = 0;
  }

  /** Draws 64 bits into `high` and `low`. */
  draw() {
    const sum = this.stateLow + 0x7f4a7c15;
    this.stateLow = sum >>> 0;
    this.stateHigh = (this.stateHigh + 0x9e3779b9 + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    this.high = this.stateHigh;
    this.low = this.stateLow;
    this.#shiftAndXor(30);
    this.#multiply(0xbf58476d, 0x1ce4e5b9);
    this.#shiftAndXor(27);
    this.#multiply(0x94d049bb, 0x133111eb);
    this.#shiftAndXor(31);
    return this;
  }

  /** z ^= z >> by, for less than 32. */
  #shiftAndXor(by) {
    this.low = (this.low ^ ((this.low >>> by) | (this.high << (32 - by)))) >>> 0;
    this.high = (this.high ^ (this.high >>> by)) >>> 0;
  }

  /** The low 64 bits of the product. */
  #multiply(high, low) {
    const a0 = this.low & 0xffff, a1 = this.low >>> 16;
    const b0 = low & 0xffff, b1 = low >>> 16;
    const p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0;
    const middle = (p00 >>> 16) + (p01 & 0xffff) + (p10 & 0xffff);
    const carried = a1 * b1 + (p01 >>> 16) + (p10 >>> 16) + (middle >>> 16);
    this.high = (carried + Math.imul(this.high, low) + Math.imul(this.low, high)) >>> 0;
    this.low = ((middle << 16) | (p00 & 0xffff)) >>> 0;
  }

  /** The upper 53 bits as a number above 0, up to 1. */
  unit() {
    return (this.high * 0x200000 + (this.low >>> 11) + 1) * 2 ** -53;
  }

  /** All bits as one number. */
  whole() {
    return (BigInt(this.high) << 32n) | BigInt(this.low);
  }
}

// Marsaglia and Tsang, "The ziggurat method for generating random variables" (2000): the bell is covered by layers of
// equal area, and most points of a layer lie within the bell.
const kLayers = 128;
const kTail = 3.442619855899; // where the lowest layer's tail starts
const density = (x) => Math.exp((-x * x) / 2);

const kEdges = (() => {
  const area = 9.91256303526217e-3; // of a layer
  const edges = [area / density(kTail), kTail];
  for (let i = 2; i < kLayers; i += 1) {
    const x = edges[i - 1];
    edges.push(Math.sqrt(-2 * Math.log(area / x + density(x))));
  }
  return [...edges, 0];
})();

function tail(bits) {
  while (true) {
    const x = -Math.log(bits.draw().unit()) / kTail;
    const y = -Math.log(bits.draw().unit());
    if (2 * y >= x * x) return kTail + x;
  }
}

function normal(bits) {
  while (true) {
    bits.draw();
    const layer = bits.low % kLayers;
    const sign = bits.low & kLayers ? -1 : 1;
    const x = bits.unit() * kEdges[layer];
    if (x < kEdges[layer + 1]) return sign * x;
    if (layer === 0) return sign * tail(bits);
    const low = density(kEdges[layer]);
    const high = density(kEdges[layer + 1]);
    if (low + bits.draw().unit() * (high - low) < density(x)) return sign * x;
  }
}

/**
 * Numbers of mean 0 and deviation 1. More of them start with the same ones; each utterance of a seed has its own.
 * @param {number | bigint} seed a whole number, 0 to 2**64 - 1
 * @param {number} utterance its number, from 0
 * @param {number} count
 * @returns {Float32Array}
 */
export function normalNoise(seed, utterance, count) {
  const mixed = new Bits(BigInt(seed)).draw().whole() ^ new Bits(BigInt(utterance)).draw().whole();
  const bits = new Bits(mixed);
  const noise = new Float32Array(count);
  for (let i = 0; i < count; i += 1) noise[i] = normal(bits);
  return noise;
}
