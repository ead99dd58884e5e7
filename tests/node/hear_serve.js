// hear_serve.js URL TEXT EXPECTED: fetch and WebSocket hear the samples of the file EXPECTED.
const assert = require("node:assert");
const fs = require("node:fs");

const [url, text, file] = process.argv.slice(2);
const expected = fs.readFileSync(file);

async function fetched() {
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ input: text, voice: "default", seed: 7, response_format: "pcm" }),
  });
  assert.equal(response.status, 200);
  const pieces = [];
  for await (const piece of response.body) pieces.push(piece);
  return Buffer.concat(pieces);
}

function streamed() {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/stream`);
  socket.binaryType = "arraybuffer";
  const pieces = [];
  const say = (message) => socket.send(JSON.stringify(message));
  return new Promise((resolve, reject) => {
    socket.onerror = reject;
    socket.onopen = () => {
      say({ type: "start", seed: 7 });
      for (const piece of text.match(/.{1,5}/g)) say({ type: "text", text: piece });
      say({ type: "end" });
    };
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return pieces.push(Buffer.from(data));
      const message = JSON.parse(data);
      if (message.type === "error") reject(new Error(message.error.message));
      if (message.type === "end") { socket.close(); resolve(Buffer.concat(pieces)); }
    };
  });
}

async function main() {
  assert.ok((await fetched()).equals(expected), "fetch hears something else");
  if (typeof WebSocket !== "undefined") assert.ok((await streamed()).equals(expected), "WebSocket hears something else");
}
main().catch((error) => {
  console.error(`FAILED: ${error.stack}`);
  process.exit(1);
});
