// A voice that `voxport export VOICE OUT/ --for web` wrote, in a browser: text goes in, audio comes out while it is made.
//
//   import * as ort from "./ort/ort.wasm.min.mjs";
//   import { Voice } from "./voxport.js";
//
//   const voice = await Voice.load("./", { ort });
//   for await (const piece of voice.say("Hello world.", { seed: 1 })) play(piece.samples, voice.info.sampleRate);
import { firstStates, metadataOf, portOf } from "./graph.js";
import { normalNoise } from "./noise.js";
import { readTextConfig, utterancesOf } from "./text.js";

// Chunks, in frames: a first one of few frames is soon there, and each may be half as long again as the one before.
const kFirstFrames = 8;
const kMostFrames = 45;
// The memory of an utterance grows with the square of its ids: 0.6 GB for these. docs/voices.md has the figures.
const kMostIds = 5000;
// What fails is an exception; onnxruntime-web need not log it as well.
const kQuiet = { logSeverityLevel: 4 };
const kUsualFrames = 8; // of an id; most have fewer
const kMostNoise = 2 ** 25; // numbers; more than half an hour of audio

/**
 * @typedef {object} VoiceInfo
 * @property {number} sampleRate samples of a second
 * @property {string} language such as "en_US"; may be empty
 * @property {{name: string, id: number}[]} speakers those that have names
 * @property {number} numSpeakers
 * @property {{name: string, id: number}[]} languages
 * @property {number} numLanguages
 * @property {number} lengthScale the voice's own scales, which are taken where others are not asked for
 * @property {number} noiseScale
 * @property {number} noiseW
 * @property {("text" | "phonemes" | "ids")[]} takes what can be spoken
 */

/**
 * @typedef {object} SayOptions
 * @property {"text" | "phonemes" | "ids"} [input] what the text is. Default: text
 * @property {boolean} [whole] whether the text is one utterance, instead of one for each sentence or line
 * @property {string | number} [speaker] a name or a number
 * @property {string | number} [language] a name or a number
 * @property {number} [lengthScale] the factor of all durations, 0.01 to 100
 * @property {number} [noiseScale] how much the sound varies, 0 to 100
 * @property {number} [noiseW] how much durations vary, 0 to 4
 * @property {number | bigint} [seed] of the noise: the same gives the same audio, that of `voxport speak --seed`
 * @property {number} [chunkFrames] the frames of a chunk; by default the first has few and later ones have more
 * @property {AbortSignal} [signal] ends the speech, within one chunk
 * @property {(symbols: string[]) => void} [onUnknown] gets symbols that were left out because the voice has no ids for
 *   them
 */

/**
 * @typedef {object} Sentence
 * @property {string} text
 * @property {number[]} ids
 * @property {number} start seconds from the start of all audio
 * @property {number} end
 * @property {{phoneme: string, start: number, end: number}[]} phonemes
 */

/**
 * @typedef {object} Piece
 * @property {Float32Array} samples mostly from -1 to 1
 * @property {Sentence} [starts] the sentence that begins with this piece
 * @property {boolean} isLast of its sentence
 */

const inQuotes = (value) => `'${value}'`;

/** Adds to what went wrong where that was. */
async function within(what, action) {
  try {
    return await action();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(`${what}: ${error.message}`, { cause: error });
  }
}

async function download(url, signal) {
  const response = await fetch(url, { signal }).catch((error) => {
    throw error.name === "AbortError" ? error : new Error(`cannot load ${url}: ${error.message}`);
  });
  if (!response.ok) throw new Error(`cannot load ${url}: ${response.status} ${response.statusText}`.trim());
  return new Uint8Array(await response.arrayBuffer());
}

function number(value, what, low, high) {
  if (typeof value !== "number" || !(value >= low && value <= high))
    throw new Error(`${what} is ${JSON.stringify(value) ?? String(value)}, expected a number from ${low} to ${high}`);
  return value;
}

function wholeNumber(value, what, low, high) {
  if (!Number.isSafeInteger(value)) throw new Error(`${what} is ${JSON.stringify(value)}, expected a whole number`);
  return number(value, what, low, high);
}

function namesIn(map, what) {
  const numberOf = (name, id) => wholeNumber(id, `${what} ${inQuotes(name)}`, 0, 2 ** 31);
  const names = Object.entries(map ?? {}).map(([name, id]) => ({ name, id: numberOf(name, id) }));
  return names.sort((a, b) => a.id - b.id);
}

function readInfo(json, text, tools) {
  const own = json.inference ?? {};
  const takes = ["ids"];
  if (text.ids.size > 0) takes.unshift("phonemes");
  if (text.ids.size > 0 && (text.type === "text" || (text.type === "espeak" && tools.phonemise))) takes.unshift("text");
  /** @type {VoiceInfo} */
  return {
    sampleRate: wholeNumber(json.audio?.sample_rate, "'audio/sample_rate' of voice.json", 1, 1e6),
    language: json.language?.code ?? json.espeak?.voice ?? "",
    speakers: namesIn(json.speaker_id_map, "the number of the speaker"),
    numSpeakers: wholeNumber(json.num_speakers ?? 1, "'num_speakers' of voice.json", 0, 2 ** 31),
    languages: namesIn(json.language_id_map, "the number of the language"),
    numLanguages: wholeNumber(json.num_languages ?? 1, "'num_languages' of voice.json", 0, 2 ** 31),
    lengthScale: number(own.length_scale ?? 1, "'inference/length_scale' of voice.json", 0.01, 100),
    noiseScale: number(own.noise_scale ?? 0.667, "'inference/noise_scale' of voice.json", 0, 100),
    noiseW: number(own.noise_w ?? 0.8, "'inference/noise_w' of voice.json", 0, 4),
    takes,
  };
}

/** The number of a name, or a number that is one. */
function choose(asked, what, names, count) {
  if (asked === undefined) return 0;
  const named = names.find(({ name }) => name === asked);
  const id = named ? named.id : Number(asked);
  if (asked === "" || !Number.isSafeInteger(id) || id < 0 || id >= Math.max(count, 1))
    throw new Error(`there is no ${what} ${inQuotes(asked)}, expected a name or a number from 0 to ` +
      `${Math.max(count, 1) - 1}`);
  return id;
}

/** The phonemes and the seconds at which they start and end, by the frames of their ids. */
function phonemesOf(utterance, durations, secondsOfFrame, start) {
  const phonemes = [];
  if (durations?.length !== utterance.ids.length) return phonemes;
  let frames = 0;
  for (const [i, symbol] of utterance.symbolOf.entries()) {
    const now = start + frames * secondsOfFrame;
    if (i === 0 || symbol !== utterance.symbolOf[i - 1])
      phonemes.push({ phoneme: utterance.symbols[symbol], start: now, end: now });
    frames += durations[i];
    phonemes.at(-1).end = start + frames * secondsOfFrame;
  }
  return phonemes;
}

/** A session of a graph that was loaded, and what its metadata says. */
async function openGraph(ort, name, bytes, sessionOptions) {
  return within(`${name} cannot be loaded`, async () => {
    const metadata = metadataOf(bytes);
    const session = await ort.InferenceSession.create(bytes, { ...kQuiet, ...sessionOptions });
    if (!session.inputMetadata) throw new Error("this onnxruntime-web is too old, expected version 1.22 or newer");
    return { session, metadata };
  });
}

function checkPorts(name, { session }, inputs, outputs) {
  for (const [what, found, expected] of [["input", session.inputNames, inputs], ["output", session.outputNames, outputs]])
    for (const port of expected)
      if (!found.includes(port)) throw new Error(`${name} has no ${what} '${port}', expected a graph that voxport wrote`);
}

function metadataNumber(name, { metadata }, key) {
  const value = Number(metadata.get(key));
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`${name} has ${JSON.stringify(metadata.get(key) ?? null)} as ${key} in its metadata, expected a ` +
      "number above 0");
  return value;
}

const kEncoderInputs = ["input", "input_lengths", "scales", "sid", "langid", "noise_w", "noise"];

export class Voice {
  #ort; #tools; #text; #encoder; #decoder; #firstFrames; #hopLength;

  /** Use Voice.load(). */
  constructor({ ort, tools, json, encoder, decoder }) {
    this.#ort = ort;
    this.#tools = tools;
    this.#text = readTextConfig(json);
    /** @type {VoiceInfo} */
    this.info = readInfo(json, this.#text, tools);
    checkPorts("encoder.onnx", encoder, ["input", "input_lengths", "scales"], ["z"]);
    for (const name of encoder.session.inputNames)
      if (!kEncoderInputs.includes(name))
        throw new Error(`encoder.onnx takes an input '${name}', expected ${kEncoderInputs.join(", ")}`);
    checkPorts("decoder_stream.onnx", decoder, ["z", "first", "last"], ["output"]);
    if (encoder.metadata.get("voxport.source_sha256") !== decoder.metadata.get("voxport.source_sha256"))
      throw new Error("encoder.onnx and decoder_stream.onnx were exported from different checkpoints");
    this.#encoder = encoder.session;
    this.#decoder = decoder.session;
    if (Object.keys(firstStates(decoder.session, ort)).length === 0)
      throw new Error("decoder_stream.onnx has no states, expected the stateful decoder that voxport writes");
    this.#firstFrames = metadataNumber("decoder_stream.onnx", decoder, "voxport.first_frames");
    this.#hopLength = metadataNumber("decoder_stream.onnx", decoder, "voxport.hop_length");
  }

  /**
   * Loads the voice of a folder: voice.json, encoder.onnx and decoder_stream.onnx. Fails with an Error that names the
   * file for whatever is missing or broken.
   * @param {string | URL} url of the folder
   * @param {object} options
   * @param {import("onnxruntime-web")} options.ort onnxruntime-web
   * @param {import("./text.js").Phonemise} [options.phonemise] for voices that speak phonemes of espeak-ng
   * @param {(text: string) => string | Promise<string>} [options.romanise] for voices that were trained on romanised text
   * @param {import("onnxruntime-web").InferenceSession.SessionOptions} [options.sessionOptions]
   * @param {AbortSignal} [options.signal]
   * @returns {Promise<Voice>}
   */
  static async load(url, { ort, phonemise, romanise, sessionOptions = {}, signal } = {}) {
    if (!ort?.InferenceSession) throw new Error("Voice.load() requires onnxruntime-web as its option 'ort'");
    const folder = new URL(url, globalThis.location?.href);
    if (!folder.pathname.endsWith("/")) folder.pathname += "/";
    const names = ["voice.json", "encoder.onnx", "decoder_stream.onnx"];
    const [config, ...graphs] = await Promise.all(names.map((name) => download(new URL(name, folder), signal)));
    const json = await within("voice.json cannot be read", () =>
      JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(config)));
    if (typeof json !== "object" || json === null || Array.isArray(json))
      throw new Error("voice.json cannot be read: it is no JSON object");
    const encoder = await openGraph(ort, "encoder.onnx", graphs[0], sessionOptions);
    const decoder = await openGraph(ort, "decoder_stream.onnx", graphs[1], sessionOptions);
    return new Voice({ ort, tools: { phonemise, romanise }, json, encoder, decoder });
  }

  /**
   * The ids of a text, one utterance after the other, as `voxport speak --print-ids` has them.
   * @param {string} text
   * @param {SayOptions} [options]
   * @returns {AsyncGenerator<import("./text.js").Utterance>}
   */
  async *idsOf(text, { input = "text", whole = false, onUnknown = () => {} } = {}) {
    const told = new Set();
    const unknown = [];
    for await (const utterance of utterancesOf(this.#text, this.#tools, text, input, whole, unknown)) {
      this.#tell(unknown, told, onUnknown);
      yield utterance;
    }
    this.#tell(unknown, told, onUnknown);
  }

  #tell(unknown, told, onUnknown) {
    const fresh = [...new Set(unknown.splice(0))].filter((symbol) => !told.has(symbol));
    for (const symbol of fresh) told.add(symbol);
    if (fresh.length > 0) onUnknown(fresh);
  }

  /**
   * Speaks: gives audio as soon as it is computed, within the sentence.
   * @param {string} text
   * @param {SayOptions} [options]
   * @returns {AsyncGenerator<Piece>}
   */
  async *say(text, options = {}) {
    const manner = this.#mannerOf(options);
    const secondsOfFrame = this.#hopLength / this.info.sampleRate;
    let seconds = 0; // of all audio that was begun
    let count = 0;
    for await (const utterance of this.idsOf(text, options)) {
      options.signal?.throwIfAborted();
      const encoded = await this.#encode(utterance.ids, manner, count++);
      const frames = encoded.z.dims[2];
      /** @type {Sentence | undefined} */
      let starts = {
        text: utterance.text,
        ids: utterance.ids,
        start: seconds,
        end: seconds + frames * secondsOfFrame,
        phonemes: phonemesOf(utterance, encoded.durations?.data, secondsOfFrame, seconds),
      };
      seconds = starts.end;
      for await (const piece of this.#decode(encoded, options)) {
        yield { ...piece, starts };
        starts = undefined;
      }
    }
  }

  #mannerOf(options) {
    const { info } = this;
    const seed = options.seed ?? 0;
    if (!(typeof seed === "bigint" || Number.isSafeInteger(seed)) || seed < 0 || BigInt(seed) >= 2n ** 64n)
      throw new Error(`the seed is ${seed}, expected a whole number from 0`);
    if (options.chunkFrames !== undefined) wholeNumber(options.chunkFrames, "the option chunkFrames", 1, 2 ** 31);
    return {
      seed,
      speaker: choose(options.speaker, "speaker", info.speakers, info.numSpeakers),
      language: choose(options.language, "language", info.languages, info.numLanguages),
      scales: [
        number(options.noiseScale ?? info.noiseScale, "the option noiseScale", 0, 100),
        number(options.lengthScale ?? info.lengthScale, "the option lengthScale", 0.01, 100),
        number(options.noiseW ?? info.noiseW, "the option noiseW", 0, 4),
      ],
    };
  }

  async #encode(ids, manner, utterance) {
    if (ids.length > kMostIds)
      throw new Error(`a sentence has ${ids.length} ids, expected at most ${kMostIds}: its memory grows with their square`);
    const wanted = ["z", "g", "durations"].filter((name) => this.#encoder.outputNames.includes(name));
    let frames = Math.min(Math.trunc(ids.length * kUsualFrames * Math.max(1, manner.scales[1]) + 64), 1e6);
    while (true) {
      const feeds = { ...this.#inputsOf(ids, manner), ...this.#noiseOf(ids, manner, utterance, frames) };
      const noise = feeds.noise?.size ?? kMostNoise;
      try {
        return await this.#encoder.run(feeds, wanted, kQuiet);
      } catch (error) {
        // How long an utterance gets is known when it is done: with more noise it may be long enough.
        if (4 * noise > kMostNoise) throw new Error(`encoder.onnx failed: ${error.message}`, { cause: error });
      }
      frames *= 4;
    }
  }

  #takes(input) {
    return this.#encoder.inputNames.includes(input);
  }

  #inputsOf(ids, manner) {
    const { Tensor } = this.#ort;
    const int64 = (values, shape) => new Tensor("int64", BigInt64Array.from(values, BigInt), shape);
    const inputs = {
      input: int64(ids, [1, ids.length]),
      input_lengths: int64([ids.length], [1]),
      scales: new Tensor("float32", Float32Array.from(manner.scales), [3]),
    };
    if (this.#takes("sid")) inputs.sid = int64([manner.speaker], [1]);
    if (this.#takes("langid")) inputs.langid = int64([manner.language], [1]);
    return inputs;
  }

  /** Noise of the seed, as `voxport speak` draws it. A graph that was exported without --for web draws its own. */
  #noiseOf(ids, manner, utterance, frames) {
    const port = portOf(this.#encoder.inputMetadata, "noise");
    const channels = port ? port.shape[1] : 0;
    const count = 2 * ids.length + channels * frames;
    const [noiseScale, , noiseW] = manner.scales;
    const isSilent = noiseScale === 0 && noiseW === 0;
    const numbers = isSilent ? new Float32Array(count) : normalNoise(manner.seed, utterance, count);
    const { Tensor } = this.#ort;
    const noise = {};
    if (this.#takes("noise_w")) noise.noise_w = new Tensor("float32", numbers.slice(0, 2 * ids.length), [1, 2, ids.length]);
    if (port) noise.noise = new Tensor("float32", numbers.slice(2 * ids.length), [1, channels, frames]);
    return noise;
  }

  /**
   * Chunk after chunk, of which each leaves the states for the next. Where onnxruntime-web computes in a thread of its own
   * (env.wasm.proxy), it takes the data of tensors away: none is given to it twice.
   */
  async *#decode({ z, g }, { chunkFrames, signal }) {
    const { Tensor } = this.#ort;
    const flag = (isSet) => new Tensor("bool", Uint8Array.of(isSet ? 1 : 0), [1]);
    const total = z.dims[2];
    let states = firstStates(this.#decoder, this.#ort);
    let frames = chunkFrames ?? kFirstFrames;
    for (let at = 0; at < total;) {
      signal?.throwIfAborted();
      const left = total - at;
      // No crumbs at the end.
      const wanted = chunkFrames === undefined && left < frames + Math.floor(frames / 2) ? left : frames;
      const end = Math.min(at + wanted + (at === 0 ? this.#firstFrames - 1 : 0), total);
      const feeds = { ...states, z: this.#framesOf(z, at, end), first: flag(at === 0), last: flag(end === total) };
      if (this.#decoder.inputNames.includes("g")) feeds.g = new Tensor("float32", g.data.slice(), g.dims);
      const made = await within("decoder_stream.onnx failed", () => this.#decoder.run(feeds, kQuiet));
      states = Object.fromEntries(Object.keys(states).map((name) => [name, made[`next_${name}`]]));
      at = end;
      if (chunkFrames === undefined) frames = Math.min(frames + Math.floor((frames + 1) / 2), kMostFrames);
      yield { samples: made.output.data, isLast: at === total };
    }
  }

  /** Of [1, channels, frames], those from `begin` to `end`. */
  #framesOf({ data, dims }, begin, end) {
    const [, channels, total] = dims;
    const count = end - begin;
    const out = new Float32Array(channels * count);
    for (let c = 0; c < channels; c += 1)
      out.set(data.subarray(c * total + begin, c * total + end), c * count);
    return new this.#ort.Tensor("float32", out, [1, channels, count]);
  }
}
