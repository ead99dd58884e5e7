// lose_a_server.js URL PROCESS: 16 clients begin to listen, the process is killed, all listen to the end.
const assert = require("node:assert");

const [url, victim] = process.argv.slice(2);
const kClients = 16;
const text = "This is a sentence of some length, which is spoken again and again by both servers. ".repeat(9);

async function begin(seed) {
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    body: JSON.stringify({ input: text, seed, response_format: "wav" }),
  });
  assert.equal(response.status, 200);
  const reader = response.body.getReader();
  const first = await reader.read();
  assert.ok(first.value.length > 0);
  return { by: response.headers.get("x-served-by"), reader, bytes: first.value.length };
}

// All bytes; nothing where the stream ended with an error.
async function end({ reader, bytes }) {
  try {
    for (let sum = bytes; ;) {
      const { done, value } = await reader.read();
      if (done) return sum;
      sum += value.length;
    }
  } catch {
    return undefined;
  }
}

async function waitForFront() {
  for (let i = 0; i < 200; i += 1) {
    const response = await fetch(`${url}/ready`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("HAProxy does not answer");
}

async function main() {
  await waitForFront();
  const speeches = await Promise.all(Array.from({ length: kClients }, () => begin(1)));
  const on = (server) => speeches.filter(({ by }) => by === server).length;
  assert.ok(on("voices1") > 0 && on("voices2") > 0, "both servers speak");
  process.kill(Number(victim), "SIGKILL");
  const later = Array.from({ length: 4 }, () => begin(1));  // while the others go on
  const lengths = await Promise.all(speeches.map(end));
  const whole = lengths.find((length, i) => speeches[i].by === "voices2");
  assert.ok(whole > 5e5);
  lengths.forEach((length, i) =>
    assert.equal(length, speeches[i].by === "voices2" ? whole : undefined, `client ${i} of ${speeches[i].by}`));
  for (const speech of await Promise.all(later)) {
    assert.equal(speech.by, "voices2");
    assert.equal(await end(speech), whole);
  }
  console.log(`${on("voices1")} streams ended with their server, ${on("voices2")} and 4 new ones are whole`);
}
main().catch((error) => {
  console.error(`FAILED: ${error.stack}`);
  process.exit(1);
});
