// The page: text goes to /v1/stream, audio and phonemes come back while they are made.
import { element, listen, say, showSpeakers, showValue, Speech } from "./view.js";
import { samplesOf } from "./wav.js";

let voices = [];
let speech = null; // the one that is under way

function headers() {
  const token = element("token").value;
  return token ? { Authorization: `Bearer ${token}` } : {};
}

async function loadVoices() {
  const response = await fetch("/v1/audio/voices", { headers: headers() });
  const reply = await response.json();
  element("token-row").hidden = response.status !== 401 && !element("token").value;
  element("speak").disabled = !response.ok;
  if (!response.ok) return say(reply.error.message, true);
  voices = reply.voices;
  element("voice").replaceChildren(...voices.map((voice) => {
    const name = voice.language ? `${voice.name} (${voice.language})` : voice.name;
    return new Option(name, voice.name);
  }));
  showVoice();
  say("Ready.");
}

const chosenVoice = () => voices.find(({ name }) => name === element("voice").value);

function showVoice() {
  const voice = chosenVoice();
  showSpeakers(voice.speakers, voice.num_speakers);
  for (const [id, own] of [["length", voice.length_scale], ["noise", voice.noise_scale], ["noise-w", voice.noise_w]]) {
    element(id).value = own ?? 0;
    element(id).dataset.own = element(id).value;
    element(id).disabled = own === undefined;
    if (id !== "length") element(`${id}-label`).hidden = own === undefined;
    showValue(id);
  }
}

// What is asked for, where it is not the voice's own.
function manner(voice) {
  const start = { type: "start", voice: voice.name, seed: Number(element("seed").value) || 0 };
  if (voice.num_speakers > 1) start.speaker = element("speaker").value;
  for (const [id, member] of [["length", "length_scale"], ["noise", "noise_scale"], ["noise-w", "noise_w"]]) {
    const { value, dataset } = element(id);
    if (value !== dataset.own) start[member] = Number(value);
  }
  return start;
}

// The connection of a speech. While it is made, nothing plays yet.
function connect(mine, voice) {
  const token = element("token").value;
  const protocols = token ? ["voxport", `bearer.${token}`] : ["voxport"];
  const socket = new WebSocket(new URL("/v1/stream", location.href.replace(/^http/, "ws")), protocols);
  const send = (message) => socket.send(JSON.stringify(message));
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    mine.asked = performance.now();
    send(manner(voice));
    send({ type: "text", text: element("text").value });
    send({ type: "end" });
  };
  socket.onmessage = ({ data }) => take(mine, socket, data);
  socket.onclose = () => {
    if (!mine.isMade) mine.end("The server closed the connection.", true);
  };
  return socket;
}

function take(mine, socket, data) {
  if (typeof data !== "string") return mine.addAudio(samplesOf(data), data);
  const message = JSON.parse(data);
  if (message.type === "sentence") mine.addSentence(message);
  if (message.type === "error") mine.end(message.error.message, true);
  if (message.type === "end") {
    mine.made();
    socket.close();
  }
}

async function speak() {
  const voice = chosenVoice();
  if (!voice) return;
  speech?.end("Stopped.");
  let socket = null;
  const mine = new Speech(voice.sample_rate, () => {
    socket?.close();
    if (speech === mine) speech = null;
  });
  speech = mine;
  try {
    socket = connect(mine, voice);
    await mine.playback.open();
  } catch (error) {
    mine.end(error.message, true);
  }
}

listen(speak, () => speech?.end("Stopped."), ["length", "noise", "noise-w"]);
element("voice").addEventListener("change", showVoice);
element("token").addEventListener("change", loadVoices);
loadVoices().catch((error) => say(error.message, true));
