// Text in sentences, as src/phonemes/sentences.cpp splits it: see there for what ends a sentence and what does not.

const kLimit = 400; // code points; what has no end within them is cut
const kLookAhead = 64; // how far beyond the limit is looked for what follows a mark
const kLine = "\n";
const kParagraph = "\u2029";

const isOneOf = (characters) => {
  const set = new Set(characters);
  return (c) => set.has(c);
};
const isBlank = isOneOf([" ", kLine, kParagraph]);
const needsSpace = isOneOf(".!?\u2026\u203c\u2047\u2048\u2049\u037e\u061f\u06d4\u1362\u1367\u1803\u1809");
const needsNoSpace = isOneOf("\u3002\uff01\uff1f\uff0e\uff61\u0964\u0965\u0589\u104b\u17d4\u17d5\u0f0d\u0f0e\u1368");
const endsSentences = (c) => needsSpace(c) || needsNoSpace(c);
const closes = isOneOf("\"')]}\u00bb\u203a\u2019\u201d\u201c\u300d\u300f\uff09\u3011\u300b\u3009");
const opens = isOneOf("\"'([{\u00ab\u2039\u2018\u201c\u201e\u201a\u00bf\u00a1\u300c\u300e\uff08");
const endsClauses = isOneOf(",;:\u2013\u2014\u060c\u061b\u3001\uff0c\uff1b\uff1a\u0387\u1363\u1364");

// What stands before names, within sentences, and before numbers.
const kTitles = isOneOf(("Mr Mrs Ms Mx Messrs Dr Drs Prof St Ste Mt Ft Gen Col Maj Capt Cmdr Lt Sgt Cpl Adm Rev Fr Sr " +
  "Jr Hon Gov Sen Pres Supt Hr Hrn Frl Dipl Ing Sra Srta Mme Mlle MM Mgr Dott Avv Sig Dhr Mevr " +
  "\u0443\u043b \u0438\u043c").split(" "));
const kWithin = isOneOf("vs cf viz approx incl excl resp bzw evtl ggf sog vgl zzgl ca np tzw".split(" "));
const kBeforeNumbers = isOneOf(("no nos nr num fig figs vol p pp ch sec eq art ver abb bd tab jan feb mar apr jun jul " +
  "aug sep sept oct nov dec \u0441\u0442\u0440 \u0441\u0442 \u0433\u043b").split(" "));

const isLetter = (c) => /^\p{L}$/u.test(c);
const isLower = (c) => /^\p{Ll}$/u.test(c);
const isDigit = (c) => /^\p{Nd}$/u.test(c);
const isCombining = (c) => /^[\p{M}\u200d]$/u.test(c);
export const isSpace = (c) => /^[\p{Z}\u0009-\u000d\u0085]$/u.test(c);

/** A code point in small letters, decomposed: "ss" for a sharp s. */
export function foldCase(c) {
  // Capitals and back is Unicode's full case folding, but for the i without a dot.
  const small = c === "\u0131" ? c : c.toUpperCase().toLowerCase();
  return small.normalize("NFD");
}

// "U.S", "e.g", "Ph.D": dots between one or two letters each.
const isDotted = (word) => /^\p{L}{1,2}(\.\p{L}{1,2})*\.?$/u.test(word);

// Whether the word before the dot at `at` is one that goes on behind it.
function isAbbreviation(text, at, next) {
  let begin = at;
  while (begin > 0 && !isBlank(text[begin - 1])) begin -= 1;
  while (begin < at && opens(text[begin])) begin += 1;
  const word = text.slice(begin, at);
  const isFirst = begin === 0;
  if (word.length === 0) return false;
  if (word.every(isDigit)) return isFirst; // the number of an item
  if (word.length === 1) return isLetter(word[0]) && (isFirst || word[0] !== "I"); // an initial
  if (word.includes(".")) return isDotted(word.join(""));
  if (kTitles(word.join(""))) return true;
  const small = word.map(foldCase).join("");
  return kWithin(small) || (isDigit(next) && kBeforeNumbers(small));
}

// Whether a sentence that ends at the marks [at, marksEnd) and what closes up to `end` goes on with the next word.
function goesOnAfterSpace(text, at, marksEnd, end, isCut) {
  let next = end + 1;
  while (next < text.length && opens(text[next])) next += 1;
  if (next === text.length) return isCut;
  const isQuoted = end > marksEnd;
  const marks = text.slice(at, marksEnd);
  const isDots = marks.every((c) => c === "." || c === "\u2026");
  if ((isQuoted || isDots) && isLower(text[next])) return true;
  return marks.length === 1 && marks[0] === "." && !isQuoted && isAbbreviation(text, at, text[next]);
}

// [[...]] holds phonemes, which may be marks: where it ends, or behind its first bracket if it does not.
function endOfPhonemes(text, at) {
  if (text[at + 1] !== "[") return at + 1;
  for (let close = at + 2; close + 1 < text.length; close += 1) {
    if (text[close] === kParagraph) break;
    if (text[close] === "]" && text[close + 1] === "]") return close + 2;
  }
  return at + 1;
}

// Looks at what is at `at`: [where to go on, whether the sentence ends there].
function look(text, at, isCut) {
  if (text[at] === kParagraph) return [at + 1, true];
  if (text[at] === "[") return [endOfPhonemes(text, at), false];
  if (!endsSentences(text[at])) return [at + 1, false];
  let end = at + 1;
  while (end < text.length && endsSentences(text[end])) end += 1;
  const marksEnd = end;
  while (end < text.length && closes(text[end])) end += 1;
  if (end === text.length) return [end, !isCut];
  if (text[end] === kParagraph || text.slice(at, marksEnd).some(needsNoSpace)) return [end, true];
  return [end, isBlank(text[end]) && !goesOnAfterSpace(text, at, marksEnd, end, isCut)];
}

// Where to cut a text that has no end within the limit, which is less than its length.
function placeToCut(text) {
  const places = [
    (at) => isBlank(text[at]) && endsClauses(text[at - 1]),
    (at) => isBlank(text[at]) || (endsClauses(text[at - 1]) && text[at - 1].codePointAt(0) > 0x3000),
    (at) => !isCombining(text[at]),
  ];
  for (const isGood of places)
    for (let at = kLimit; at > kLimit / 4; at -= 1) if (isGood(at)) return at;
  return kLimit;
}

// Where the first sentence of the text ends.
function endOfSentence(text) {
  const window = text.slice(0, kLimit + kLookAhead);
  // What is further away than we look is taken for nothing that would end a sentence.
  const isCut = window.length < text.length;
  for (let at = 0; at < Math.min(window.length, kLimit);) {
    const [end, ends] = look(window, at, isCut);
    if (ends) return end;
    at = end;
  }
  return text.length > kLimit ? placeToCut(text) : text.length;
}

// The white space that pieces of it make together.
function joinedSpace(spaces) {
  const lines = spaces.filter((c) => c === kLine || c === "\u2028" || c === "\u0085").length;
  return spaces.includes(kParagraph) || lines > 1 ? kParagraph : lines === 1 ? kLine : " ";
}

const withoutLineBreaks = (spaces) => spaces.slice(0, kLimit).filter((c) => !/[\n\r\u0085\u2028\u2029]/.test(c));

// Words with the white space between them: one character of it in `text`, and in `kept` what it stands for.
function normalised(whole) {
  const text = [], kept = [], atStart = [];
  for (const c of whole.startsWith("\ufeff") ? whole.slice(1) : whole) {
    if (!isSpace(c)) {
      text.push(c);
    } else if (text.length === 0) {
      atStart.push(c);
    } else {
      if (text.at(-1) !== null) {
        text.push(null);
        kept.push([]);
      }
      kept.at(-1).push(c);
    }
  }
  let next = 0;
  return { text: text.map((c) => c ?? joinedSpace(kept[next++])), kept, atStart };
}

/**
 * The sentences of a text.
 * @param {string} whole
 * @param {boolean} keepsSpaces whether white space stays as it is within sentences, and at both ends of the text apart
 *   from line breaks; else there is one space between words
 * @returns {string[]}
 */
export function sentencesOf(whole, keepsSpaces) {
  const { text, kept, atStart } = normalised(whole);
  const sentences = [];
  let space = 0; // of `kept`, the next
  for (let begin = 0; begin < text.length;) {
    const rest = text.slice(begin, begin + kLimit + kLookAhead + 1); // as far as is looked, and whether there is more
    let next = endOfSentence(rest);
    while (next < rest.length && isBlank(rest[next])) next += 1;
    let end = next;
    while (end > 0 && isBlank(rest[end - 1])) end -= 1;
    const isLast = begin + next === text.length;
    const before = keepsSpaces && begin === 0 ? withoutLineBreaks(atStart) : [];
    const words = rest.slice(0, next).map((c, i) => {
      if (!isBlank(c)) return c;
      const spaces = kept[space++];
      if (i >= end) return keepsSpaces && isLast ? withoutLineBreaks(spaces).join("") : "";
      return keepsSpaces ? spaces.slice(0, kLimit).join("") : " ";
    });
    if (end > 0) sentences.push([...before, ...words].join(""));
    begin += next;
  }
  return sentences;
}
