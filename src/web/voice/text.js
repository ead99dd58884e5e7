// Text on its way to ids, by voice.json: as Piper does it, or by the rules of the voice. The ids are those of
// `voxport speak --print-ids`; docs/voices.md describes the rules.
import { foldCase, isSpace, sentencesOf } from "./sentences.js";

/**
 * One sentence as the encoder takes it.
 * @typedef {object} Utterance
 * @property {string} text what is to be spoken
 * @property {string[]} symbols those that have ids
 * @property {number[]} ids
 * @property {number[]} symbolOf for each id, the index of the symbol that it belongs to; a blank belongs to the one
 *   before it
 */

/**
 * What makes phonemes of a text, for voices that speak phonemes of espeak-ng.
 * @callback Phonemise
 * @param {string} text a sentence
 * @param {string} espeakVoice such as "en-us"
 * @returns {string | Promise<string>} its phonemes as espeak-ng writes them (IPA), with the marks of the sentence
 */

const kMostLetters = 1 << 20; // of a text
const kMostSteps = 64;
const kMostCharacters = 1 << 21; // more than any replacements make of a sentence that is meant

const isAlnum = (c) => /^[\p{L}\p{N}]$/u.test(c);
const isCombining = (c) => /^[\p{M}\u200d]$/u.test(c);
const isControl = (c) => /^\p{Cc}$/u.test(c) && !isSpace(c);

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const shown = (value) => JSON.stringify(value)?.slice(0, 60) ?? "nothing";

function expect(isGood, what, found, expected) {
  if (!isGood) throw new Error(`voice.json has ${shown(found)} as ${what}, expected ${expected}`);
}

// The steps of rules. Each takes the text, the config and what comes with the step.

const isText = (value) => typeof value === "string";
const isPair = (value) => Array.isArray(value) && value.length === 2 && value.every(isText) && value[0] !== "";

function replaceAll(text, from, to) {
  const out = text.split(from).join(to);
  if (out.length > kMostCharacters)
    throw new Error(`the replacements of voice.json make more than ${kMostCharacters} characters of a text`);
  return out;
}

// The word and its dot, in letters of any case, with no letter or digit right before.
function replaceAbbreviation(text, word, whole) {
  const points = [...text], withDot = [...word, "."];
  const out = [];
  for (let at = 0; at < points.length;) {
    const isAtStart = at === 0 || !(isAlnum(points[at - 1]) || points[at - 1] === "_");
    const part = points.slice(at, at + withDot.length);
    const isFound = isAtStart && part.at(-1) === "." && part.join("").toLowerCase() === withDot.join("");
    out.push(isFound ? whole : points[at]);
    at += isFound ? withDot.length : 1;
  }
  return out.join("");
}

function lowerUnknown(text, config, words) {
  let out = "";
  for (let rest = text; rest !== "";) {
    const word = words.find((each) => rest.startsWith(each));
    const part = word ?? String.fromCodePoint(rest.codePointAt(0));
    out += word !== undefined || config.ids.has(part) ? part : part.toLowerCase();
    rest = rest.slice(part.length);
  }
  return out;
}

function dropUnknown(text, config, unknown) {
  let out = "";
  for (const c of text) {
    if (config.ids.has(c)) out += c;
    else if (isAlnum(c) || isCombining(c)) unknown.push(c);
  }
  return out;
}

function asText(value, what) {
  if (typeof value !== "string") throw new Error(`${what} is of type ${typeof value}, expected a string`);
  return value;
}

async function romanised(text, tools) {
  if (/^[\0-\x7f]*$/.test(text)) return text;
  if (!tools.romanise)
    throw new Error("the voice was trained on romanised text: text that is not ASCII has to be converted to Latin " +
      "letters, expected a function 'romanise' when the voice is loaded");
  return asText(await tools.romanise(text), "what the function 'romanise' gives");
}

// What a step takes: nothing, words that it may do without, or pairs.
const kSteps = {
  nfc: { takes: null, run: (text) => text.normalize("NFC") },
  nfd: { takes: null, run: (text) => text.normalize("NFD") },
  lower: { takes: null, run: (text) => text.toLowerCase() },
  lower_unknown: { takes: isText, isOptional: true, run: (text, words, { config }) => lowerUnknown(text, config, words) },
  replace: { takes: isPair, run: (text, pairs) => pairs.reduce((t, [from, to]) => replaceAll(t, from, to), text) },
  abbreviations: {
    takes: isPair,
    run: (text, pairs) => pairs.reduce((t, [word, whole]) => replaceAbbreviation(t, word, whole), text),
  },
  romanise: { takes: null, run: (text, _, { tools }) => romanised(text, tools) },
  collapse: { takes: null, run: (text) => [...text].map((c) => (isSpace(c) ? " " : c)).join("").replace(/ +/g, " ") },
  trim: { takes: null, run: (text) => text.replace(/^[\p{Z}\t-\r\u0085]+|[\p{Z}\t-\r\u0085]+$/gu, "") },
  drop_unknown: { takes: null, run: (text, _, { config, unknown }) => dropUnknown(text, config, unknown) },
};

async function afterSteps(steps, text, context) {
  let out = text;
  for (const { name, more } of steps) out = await kSteps[name].run(out, more, context);
  return out;
}

// "lower", or {"replace": [["a", "b"]]}.
function readStep(item, list) {
  const [name, more] = isObject(item) ? Object.entries(item)[0] ?? [] : [item, null];
  const step = isText(name) && Object.hasOwn(kSteps, name) ? kSteps[name] : null;
  const isGood = step !== null &&
    (more === null
      ? step.takes === null || step.isOptional
      : Array.isArray(more) && Object.keys(item).length === 1 && step.takes !== null && more.every(step.takes));
  expect(isGood, `a step of 'text/${list}'`, item, "one of those in docs/voices.md");
  return { name, more: more ?? [] };
}

function readSteps(rules, list) {
  const steps = rules[list] ?? [];
  expect(Array.isArray(steps) && steps.length <= kMostSteps, `'text/${list}'`, steps, `a list of at most ${kMostSteps}`);
  return steps.map((item) => readStep(item, list));
}

const kRules = ["steps", "phoneme_steps", "marks", "blank", "bos", "eos", "alone", "unknown"];

function readRules(rules, isId) {
  expect(isObject(rules), "'text'", rules, "an object");
  for (const key of Object.keys(rules)) expect(kRules.includes(key), "a rule of 'text'", key, `one of ${kRules.join(", ")}`);
  for (const key of ["blank", "bos", "eos"])
    expect(rules[key] == null || isId(rules[key]), `'text/${key}'`, rules[key], "an id");
  const { alone = null, unknown = null } = rules;
  expect(alone === null || (Array.isArray(alone) && alone.every((s) => isText(s) && s !== "")), "'text/alone'", alone,
    "a list of symbols");
  expect(unknown === null || unknown === "drop" || isId(unknown), "'text/unknown'", unknown, "'drop' or an id");
  return {
    steps: readSteps(rules, "steps"),
    phonemeSteps: readSteps(rules, "phoneme_steps"),
    blank: rules.blank ?? null,
    bos: rules.bos ?? null,
    eos: rules.eos ?? null,
    // Longer ones first.
    alone: alone && [...alone].sort((a, b) => [...b].length - [...a].length),
    unknown,
  };
}

function readPhonemeMap(voice) {
  const map = voice.phoneme_map ?? (voice.espeak?.voice === "pt-br" ? { c: ["k"] } : {});
  expect(isObject(map), "'phoneme_map'", map, "an object");
  return new Map(Object.entries(map).map(([from, to]) => [from, [to].flat().join("")]));
}

/**
 * What voice.json says about text. Fails for what is broken.
 * @param {object} voice voice.json
 */
export function readTextConfig(voice) {
  const numSymbols = voice.num_symbols ?? 0;
  const isId = (id) => Number.isSafeInteger(id) && id >= 0 && (numSymbols === 0 || id < numSymbols);
  expect(Number.isSafeInteger(numSymbols) && numSymbols >= 0, "'num_symbols'", numSymbols, "a number above 0");
  const map = voice.phoneme_id_map ?? {};
  expect(isObject(map), "'phoneme_id_map'", map, "an object");
  for (const [symbol, ids] of Object.entries(map))
    expect(Array.isArray(ids) && ids.length > 0 && ids.every(isId), `the ids of ${shown(symbol)}`, ids,
      numSymbols === 0 ? "a list of ids" : `a list of ids from 0 to ${numSymbols - 1}`);
  const clusters = voice.vowel_clusters ?? [];
  expect(Array.isArray(clusters), "'vowel_clusters'", clusters, "a list");
  const config = {
    numSymbols,
    type: voice.phoneme_type ?? "espeak",
    espeakVoice: voice.espeak?.voice ?? "en-us",
    ids: new Map(Object.entries(map)),
    phonemeMap: readPhonemeMap(voice),
    clusters: clusters.map((cluster) => [cluster].flat().join("")).sort((a, b) => [...b].length - [...a].length),
    rules: voice.text == null ? null : readRules(voice.text, isId),
  };
  if (config.rules === null && config.ids.size > 0)
    for (const symbol of ["^", "_", "$"])
      expect(config.ids.has(symbol), `the ids of "${symbol}"`, undefined, "a list of ids");
  return config;
}

/** @typedef {ReturnType<typeof readTextConfig>} TextConfig */

// The symbol that the phonemes start with.
function firstSymbol(config, phonemes) {
  return config.rules?.alone?.find((symbol) => phonemes.startsWith(symbol)) ??
    config.clusters.find((cluster) => phonemes.startsWith(cluster)) ??
    String.fromCodePoint(phonemes.codePointAt(0));
}

function splitSymbols(config, phonemes) {
  const symbols = [];
  for (let rest = config.rules ? phonemes : phonemes.normalize("NFD"); rest !== "";) {
    symbols.push(firstSymbol(config, rest));
    rest = rest.slice(symbols.at(-1).length);
  }
  return symbols;
}

class UtteranceMaker {
  constructor(text) {
    /** @type {Utterance} */
    this.made = { text, symbols: [], ids: [], symbolOf: [] };
  }

  /** To the last symbol, or before any, to the first. */
  addIds(ids) {
    for (const id of ids) {
      this.made.ids.push(id);
      this.made.symbolOf.push(Math.max(this.made.symbols.length, 1) - 1);
    }
  }

  addSymbol(symbol, ids) {
    this.made.symbols.push(symbol);
    this.addIds(ids);
  }
}

// Piper's layout: bos pad (ids pad)* eos.
function piperUtterance(config, text, symbols, unknown) {
  const maker = new UtteranceMaker(text);
  const pad = config.ids.get("_");
  for (const symbol of ["^", ...symbols]) {
    const ids = config.ids.get(symbol);
    if (ids) maker.addSymbol(symbol, [...ids, ...pad]);
    else unknown.push(symbol);
  }
  if (maker.made.symbols.length === 1) return null;
  maker.addSymbol("$", config.ids.get("$"));
  return maker.made;
}

function nameOf(config, id) {
  for (const [symbol, ids] of config.ids) if (ids.length === 1 && ids[0] === id) return symbol;
  return `${id}`;
}

function utteranceByRules(config, text, symbols, unknown) {
  const { rules } = config;
  const maker = new UtteranceMaker(text);
  const blank = rules.blank === null ? [] : [rules.blank];
  let isInPart = false; // of what is between symbols that stand alone
  if (rules.bos !== null) maker.addSymbol(nameOf(config, rules.bos), [rules.bos]);
  const before = maker.made.symbols.length;
  for (const symbol of symbols) {
    const ids = config.ids.get(symbol) ?? (Number.isInteger(rules.unknown) ? [rules.unknown] : null);
    if (!ids) {
      unknown.push(symbol);
      continue;
    }
    const isAlone = rules.alone?.includes(symbol) ?? false;
    if (!isAlone && !isInPart) maker.addIds(blank);
    isInPart = !isAlone;
    maker.addSymbol(symbol, ids);
    if (!isAlone) maker.addIds(blank);
  }
  if (maker.made.symbols.length === before) return null;
  if (rules.eos !== null) maker.addSymbol(nameOf(config, rules.eos), [rules.eos]);
  return maker.made;
}

function makeUtterance(config, text, symbols, unknown) {
  const make = config.rules ? utteranceByRules : piperUtterance;
  return make(config, text, symbols, unknown);
}

// White space of any kind is a space, control characters are gone.
function oneLine(text) {
  return [...text].filter((c) => !isControl(c)).map((c) => (isSpace(c) ? " " : c)).join("").replace(/ +/g, " ").trimEnd();
}

// espeak-ng tells in brackets when it changes the language: "(en)".
const withoutLanguageFlags = (phonemes) => phonemes.replace(/\([^)]*\)?/g, "");

const mapped = (config, phonemes) => [...phonemes].map((c) => config.phonemeMap.get(c) ?? c).join("");

// A character that the voice knows, or its small letter.
function knownLetters(config, line) {
  return [...line.normalize("NFD")]
    .map((c) => (config.ids.has(c) || config.phonemeMap.has(c) ? c : foldCase(c))).join("");
}

async function spokenBy(config, tools, text) {
  if (!tools.phonemise)
    throw new Error("the voice speaks phonemes of espeak-ng: expected a function 'phonemise' when the voice is " +
      "loaded; without one it takes phonemes and ids");
  return asText(await tools.phonemise(text, config.espeakVoice), "what the function 'phonemise' gives");
}

async function phonemesOfText(config, tools, sentence, unknown) {
  const context = { config, tools, unknown };
  if (config.rules) {
    const text = await afterSteps(config.rules.steps, sentence, context);
    if (config.type === "text") return text;
    const phonemes = withoutLanguageFlags(await spokenBy(config, tools, text));
    return afterSteps(config.rules.phonemeSteps, phonemes, context);
  }
  const line = oneLine(sentence);
  if (config.type === "text") return mapped(config, knownLetters(config, line));
  return withoutLanguageFlags(mapped(config, (await spokenBy(config, tools, line)).normalize("NFD")));
}

function checkTakes(config, input) {
  if (config.ids.size === 0) throw new Error(`this voice takes no ${input}: voice.json has no phoneme_id_map; it takes ids`);
  if (input === "text" && config.type !== "text" && config.type !== "espeak")
    throw new Error(`the voice speaks phonemes of the type ${shown(config.type)}, but text can only be converted to ` +
      "the types 'text' and 'espeak'; give it phonemes or ids");
}

async function* utterancesOfText(config, tools, text, isWhole, unknown) {
  checkTakes(config, "text");
  for (const sentence of isWhole ? [text] : sentencesOf(text, config.rules !== null)) {
    const phonemes = await phonemesOfText(config, tools, sentence, unknown);
    const utterance = makeUtterance(config, oneLine(sentence).trim(), splitSymbols(config, phonemes), unknown);
    if (utterance) yield utterance;
  }
}

async function* utterancesOfPhonemes(config, tools, text, isWhole, unknown) {
  checkTakes(config, "phonemes");
  for (const line of isWhole ? [text] : text.split("\n")) {
    const given = config.rules ? line.replace(/^[\r\n]+|[\r\n]+$/g, "") : line.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
    const left = [];
    const phonemes = config.rules
      ? await afterSteps(config.rules.phonemeSteps, given, { config, tools, unknown: left })
      : given;
    const utterance = makeUtterance(config, given, splitSymbols(config, phonemes), left);
    if (left.length > 0 && config.rules?.unknown !== "drop")
      throw new Error(`the voice does not know the phonemes ${[...new Set(left)].map(shown).join(", ")} in ${shown(given)}`);
    unknown.push(...left);
    if (utterance) yield utterance;
  }
}

async function* utterancesOfIds(config, _tools, text, isWhole) {
  const lines = isWhole ? [text] : text.split("\n");
  for (const [number, line] of lines.entries()) {
    const words = line.split(/[ \t\r\n]+/).filter(Boolean);
    for (const word of words) {
      const isGood = /^\d{1,15}$/.test(word) && (config.numSymbols === 0 || Number(word) < config.numSymbols);
      if (!isGood)
        throw new Error(`line ${number + 1}: found ${shown(word)}, expected a phoneme id, ` +
          (config.numSymbols === 0 ? "a number from 0" : `0 to ${config.numSymbols - 1}`));
    }
    if (words.length > 0)
      yield { text: words.join(" "), symbols: words, ids: words.map(Number), symbolOf: words.map((_word, i) => i) };
  }
}

const kInputs = { text: utterancesOfText, phonemes: utterancesOfPhonemes, ids: utterancesOfIds };

/**
 * The utterances of a text: one for each sentence, or for each line of phonemes or ids.
 * @param {TextConfig} config
 * @param {{phonemise?: Phonemise, romanise?: (text: string) => string | Promise<string>}} tools
 * @param {string} text
 * @param {"text" | "phonemes" | "ids"} input what the text is
 * @param {boolean} isWhole whether the text is one utterance
 * @param {string[]} unknown gets the symbols that were left out because the voice has no ids for them
 * @returns {AsyncGenerator<Utterance>}
 */
export function utterancesOf(config, tools, text, input, isWhole, unknown) {
  if (!Object.hasOwn(kInputs, input))
    throw new Error(`the input is ${shown(input)}, expected ${Object.keys(kInputs).join(", ")}`);
  asText(text, "the text");
  if (text.length > kMostLetters) throw new Error(`the text has ${text.length} letters, expected at most ${kMostLetters}`);
  return kInputs[input](config, tools, text, isWhole, unknown);
}
