// The page: text goes to /v1/stream, audio and phonemes come back while they are made.
const kPixelsPerSecond = 220;
const element = (id) => document.getElementById(id);

let voices = [];
let speech = null; // the one that is under way

function say(text, isError = false) {
  element("status").textContent = text;
  element("status").classList.toggle("error", isError);
}

function headers() {
  const token = element("token").value;
  return token ? { Authorization: `Bearer ${token}` } : {};
}

async function loadVoices() {
  const response = await fetch("/v1/audio/voices", { headers: headers() });
  const reply = await response.json();
  element("token-row").hidden = response.status !== 401 && !element("token").value;
  if (!response.ok) return say(reply.error.message, true);
  voices = reply.voices;
  element("voice").replaceChildren(...voices.map((voice) => {
    const name = voice.language ? `${voice.name} (${voice.language})` : voice.name;
    return new Option(name, voice.name);
  }));
  chooseVoice();
  say("Ready.");
}

function chooseVoice() {
  const voice = voices.find(({ name }) => name === element("voice").value);
  const speakers = voice.speakers.length > 0
    ? voice.speakers
    : Array.from({ length: Math.min(voice.num_speakers, 1000) }, (_, id) => ({ name: `${id}`, id }));
  element("speaker").replaceChildren(...speakers.map(({ name, id }) => new Option(name, `${id}`)));
  element("speaker-label").hidden = voice.num_speakers < 2;
  for (const [id, own] of [["length", voice.length_scale], ["noise", voice.noise_scale], ["noise-w", voice.noise_w]]) {
    element(id).value = own ?? 0;
    element(id).disabled = own === undefined;
    if (id !== "length") element(`${id}-label`).hidden = own === undefined;
    showValue(id);
  }
}

function showValue(id) {
  element(`${id}-value`).textContent = Number(element(id).value).toFixed(2);
}

// What is asked for, where it is not the voice's own.
function manner() {
  const voice = voices.find(({ name }) => name === element("voice").value);
  const start = { type: "start", voice: voice.name, seed: Number(element("seed").value) || 0 };
  if (voice.num_speakers > 1) start.speaker = element("speaker").value;
  start.length_scale = Number(element("length").value);
  if (voice.noise_scale !== undefined) start.noise_scale = Number(element("noise").value);
  if (voice.noise_w !== undefined) start.noise_w = Number(element("noise-w").value);
  return start;
}

// Samples of 16 bits, little-endian, from -1 to 1.
function samplesOf(bytes) {
  const view = new DataView(bytes);
  return Float32Array.from({ length: bytes.byteLength / 2 }, (_, i) => view.getInt16(2 * i, true) / 32768);
}

function wavOf(pieces, rate) {
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

// Marks of stress stand before what they belong to, marks of length after it.
function addPhoneme(group, { phoneme, start, end }) {
  const last = group.at(-1);
  const belongsToLast = last && (/^[ˈˌ]+$/.test(last.phoneme) || /^[ːˑ\u0300-\u036f]$/.test(phoneme));
  if (belongsToLast) Object.assign(last, { phoneme: last.phoneme + phoneme, end });
  else group.push({ phoneme, start, end });
}

// The waveform, its words and phonemes, and where playing is.
class Picture {
  constructor(rate) {
    this.rate = rate;
    this.samples = 0;
    this.width = 0;
    this.canvas = element("wave");
    this.columns = []; // [lowest, highest] of each pixel
    element("labels").replaceChildren();
    element("sentences").replaceChildren();
    this.resize(1);
  }

  resize(width) {
    const shown = Math.max(width, element("scroll").clientWidth);
    if (shown <= this.width) return;
    this.width = Math.ceil(shown * 1.5);
    this.canvas.width = this.width;
    this.canvas.style.width = `${this.width}px`;
    element("track").style.width = `${this.width}px`;
    this.draw(0);
  }

  draw(from) {
    const context = this.canvas.getContext("2d");
    context.fillStyle = getComputedStyle(document.body).color;
    const middle = this.canvas.height / 2;
    for (let x = from; x < this.columns.length; x += 1) {
      const [low, high] = this.columns[x];
      context.clearRect(x, 0, 1, this.canvas.height);
      context.fillRect(x, middle - high * middle, 1, Math.max(1, (high - low) * middle));
    }
  }

  addSamples(samples) {
    const perColumn = this.rate / kPixelsPerSecond;
    const first = Math.floor(this.samples / perColumn);
    for (const sample of samples) {
      const x = Math.floor(this.samples / perColumn);
      this.columns[x] ??= [0, 0];
      const column = this.columns[x];
      if (sample < column[0]) column[0] = sample;
      if (sample > column[1]) column[1] = sample;
      this.samples += 1;
    }
    this.resize(this.columns.length);
    this.draw(first);
  }

  addSentence({ text, end, phonemes }) {
    const item = document.createElement("li");
    item.textContent = text;
    element("sentences").append(item);
    this.resize(end * kPixelsPerSecond);
    // Words are between spaces, in the text and in its phonemes; where these are not alike, the
    // text stands over all.
    const groups = [[]];
    for (const phoneme of phonemes) {
      if (phoneme.phoneme.trim() === "") groups.push([]);
      else if (!["_", "^", "$"].includes(phoneme.phoneme)) addPhoneme(groups.at(-1), phoneme);
    }
    const spoken = groups.filter((group) => group.length > 0);
    const words = text.split(/\s+/).filter(Boolean);
    if (words.length === spoken.length) spoken.forEach((group, i) => this.label("word", words[i], group[0].start));
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
    const scroll = element("scroll");
    if (x > scroll.scrollLeft + scroll.clientWidth - 40) scroll.scrollLeft = x - 60;
  }
}

// One text, from the button to its last sample.
class Speech {
  constructor() {
    this.asked = performance.now();
    this.pieces = [];
    this.samples = 0;
    this.isMade = false;
  }

  async start() {
    // While nothing is known of the rate, the connection is made.
    const token = element("token").value;
    const protocols = token ? ["voxport", `bearer.${token}`] : ["voxport"];
    this.socket = new WebSocket(new URL("/v1/stream", location.href.replace(/^http/, "ws")), protocols);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.asked = performance.now();
      this.send(manner());
      this.send({ type: "text", text: element("text").value });
      this.send({ type: "end" });
    };
    this.early = []; // what comes before there is something to play it
    this.socket.onmessage = ({ data }) => this.take(data);
    this.socket.onclose = () => {
      if (!this.isMade) this.end("The server closed the connection.", true);
    };
    const voice = voices.find(({ name }) => name === element("voice").value);
    this.rate = voice.sample_rate;
    this.picture = new Picture(this.rate);
    this.context = new AudioContext({ sampleRate: this.rate });
    await this.context.audioWorklet.addModule("/player.js");
    if (this.isOver) return;
    this.player = new AudioWorkletNode(this.context, "player", { numberOfInputs: 0, outputChannelCount: [1] });
    this.player.port.onmessage = ({ data }) => this.onPlayed(data);
    this.player.connect(this.context.destination);
    for (const message of this.early) this.player.port.postMessage(message);
    this.early = null;
  }

  send(message) { this.socket.send(JSON.stringify(message)); }

  play(message) {
    if (this.early) this.early.push(message);
    else this.player?.port.postMessage(message);
  }

  take(data) {
    if (typeof data !== "string") return this.addAudio(data);
    const message = JSON.parse(data);
    if (message.type === "sentence") this.picture.addSentence(message);
    if (message.type === "error") this.end(message.error.message, true);
    if (message.type === "end") this.made();
  }

  addAudio(bytes) {
    if (this.samples === 0) {
      document.body.dataset.first = performance.now() - this.asked;
      element("first").textContent = `${Math.round(performance.now() - this.asked)} ms`;
    }
    const samples = samplesOf(bytes);
    this.pieces.push(bytes);
    this.samples += samples.length;
    this.picture.addSamples(samples);
    this.play({ samples });
    const seconds = this.samples / this.rate;
    element("duration").textContent = `${seconds.toFixed(2)} s`;
    element("factor").textContent = ((performance.now() - this.asked) / 1000 / seconds).toFixed(3);
  }

  made() {
    this.isMade = true;
    document.body.dataset.made = "true";
    this.play({ end: true });
    this.socket.close();
    const link = element("download");
    if (link.href) URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(wavOf(this.pieces, this.rate));
    link.download = "speech.wav";
    link.removeAttribute("aria-disabled");
    say("All was made, and is being played.");
  }

  onPlayed({ played, gaps, peak, isOver }) {
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
    this.socket.close();
    this.context?.close();
    if (speech === this) speech = null;
    document.body.dataset.state = isError ? "error" : "done";
    element("stop").disabled = true;
    say(text, isError);
  }
}

async function speak() {
  speech?.end("Stopped.");
  for (const key of ["made", "heardBeforeEnd", "first", "peak"]) delete document.body.dataset[key];
  for (const id of ["first", "factor", "duration", "gaps"]) element(id).textContent = "–";
  document.body.dataset.state = "speaking";
  element("stop").disabled = false;
  say("Speaking.");
  speech = new Speech();
  const mine = speech;
  try {
    await mine.start();
  } catch (error) {
    mine.end(error.message, true);
  }
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  speak();
});
element("stop").addEventListener("click", () => speech?.end("Stopped."));
element("voice").addEventListener("change", chooseVoice);
element("token").addEventListener("change", loadVoices);
for (const id of ["length", "noise", "noise-w"]) element(id).addEventListener("input", () => showValue(id));
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) speak();
  if (event.key === "Escape") speech?.end("Stopped.");
});
loadVoices().catch((error) => say(error.message, true));
