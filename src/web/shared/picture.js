// The waveform of a speech, with its words and phonemes, and where playing is.
const kPixelsPerSecond = 280; // as many as short words need
const element = (id) => document.getElementById(id);

// Marks of stress stand before what they belong to, marks of length after it.
function addPhoneme(group, { phoneme, start, end }) {
  const last = group.at(-1);
  const belongsToLast = last && (/^[ˈˌ]+$/.test(last.phoneme) || /^[ːˑ\u0300-\u036f]$/.test(phoneme));
  if (belongsToLast) Object.assign(last, { phoneme: last.phoneme + phoneme, end });
  else group.push({ phoneme, start, end });
}

const isMark = (symbol) => /^\p{P}+$/u.test(symbol);
const lettersOf = (word) => Math.max(1, word.replace(/[^\p{L}\p{M}\p{N}]/gu, "").length);

/**
 * The words of each group of phonemes. espeak-ng says some words together, such as "for a", and does not tell which: where
 * there are fewer groups than words, those are joined whose letters are as many, in proportion, as there are phonemes.
 * @param {string[]} words
 * @param {number[]} sizes the phonemes of each group
 * @returns {string[] | undefined} nothing where there are more groups than words
 */
export function joinWords(words, sizes) {
  const kMostWords = 4; // of a group
  const letters = words.map(lettersOf);
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const phonemesOfLetter = sum(sizes) / sum(letters);
  let best = [{ cost: 0, last: null }]; // by how many words the groups so far have
  sizes.forEach((size, i) => {
    const next = [];
    const most = words.length - (sizes.length - 1 - i); // each group after this one has a word
    best.forEach(({ cost, last }, begin) => {
      for (let end = begin + 1; end <= Math.min(begin + kMostWords, most); end += 1) {
        const all = cost + (sum(letters.slice(begin, end)) * phonemesOfLetter - size) ** 2;
        if (!(next[end]?.cost <= all)) next[end] = { cost: all, last: { begin, end, before: last } };
      }
    });
    best = next;
  });
  const whole = best[words.length];
  if (!whole) return undefined;
  const joined = [];
  for (let group = whole.last; group; group = group.before) joined.unshift(words.slice(group.begin, group.end).join(" "));
  return joined;
}

export class Picture {
  constructor(rate) {
    this.rate = rate;
    this.samples = 0;
    this.width = 0;
    this.canvas = element("wave");
    this.scroll = element("scroll");
    this.columns = []; // [lowest, highest] of each pixel
    this.scroll.scrollLeft = 0;
    this.scroll.onscroll = () => this.draw();
    globalThis.onresize = () => this.draw();
    element("labels").replaceChildren();
    element("sentences").replaceChildren();
    this.resize(1);
  }

  resize(width) {
    const shown = Math.max(width, this.scroll.clientWidth);
    if (shown <= this.width) return;
    this.width = Math.ceil(shown * 1.5);
    element("track").style.width = `${this.width}px`;
    this.draw();
  }

  // What is seen of it: browsers have no canvas for all of some minutes.
  draw() {
    this.canvas.width = this.scroll.clientWidth; // which clears it
    const context = this.canvas.getContext("2d");
    context.fillStyle = getComputedStyle(document.body).color;
    const middle = this.canvas.height / 2;
    const from = Math.floor(this.scroll.scrollLeft);
    this.columns.slice(from, from + this.canvas.width).forEach(([low, high], x) =>
      context.fillRect(x, middle - high * middle, 1, Math.max(1, (high - low) * middle)));
  }

  addSamples(samples) {
    const perColumn = this.rate / kPixelsPerSecond;
    for (const sample of samples) {
      const x = Math.floor(this.samples / perColumn);
      this.columns[x] ??= [0, 0];
      const column = this.columns[x];
      if (sample < column[0]) column[0] = sample;
      if (sample > column[1]) column[1] = sample;
      this.samples += 1;
    }
    this.resize(this.columns.length);
    this.draw();
  }

  addSentence({ text, end, phonemes }) {
    const item = document.createElement("li");
    item.textContent = text;
    element("sentences").append(item);
    this.resize(end * kPixelsPerSecond);
    // Words are between spaces, in the text and in its phonemes; where there are more of these, the
    // text stands over all.
    const groups = [[]];
    for (const phoneme of phonemes) {
      if (phoneme.phoneme.trim() === "") groups.push([]);
      else if (!["_", "^", "$"].includes(phoneme.phoneme)) addPhoneme(groups.at(-1), phoneme);
    }
    const spoken = groups.filter((group) => group.length > 0);
    const sizes = spoken.map((group) => group.filter(({ phoneme }) => !isMark(phoneme)).length);
    const words = joinWords(text.split(/\s+/).filter(Boolean), sizes);
    if (words) spoken.forEach((group, i) => this.label("word", words[i], group[0].start));
    else if (spoken.length > 0) this.label("word", text, spoken[0][0].start);
    for (const { phoneme, start, end: last } of spoken.flat()) this.label("phoneme", phoneme, (start + last) / 2);
  }

  label(kind, text, seconds) {
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    span.style.left = `${seconds * kPixelsPerSecond}px`;
    element("labels").append(span);
  }

  showHead(samples) {
    const x = (samples / this.rate) * kPixelsPerSecond;
    element("head").style.visibility = "visible";
    element("head").style.left = `${x}px`;
    if (x > this.scroll.scrollLeft + this.scroll.clientWidth - 40) this.scroll.scrollLeft = x - 60;
  }
}
