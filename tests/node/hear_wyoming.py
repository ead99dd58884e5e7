"""hear_wyoming.py PORT TEXT EXPECTED: a client of Wyoming hears the samples of the file EXPECTED."""

import asyncio
import json
import sys


async def write(writer, kind, data=None):
    body = json.dumps(data or {}).encode()
    head = {"type": kind, "version": "1.5.4", "data_length": len(body)}
    writer.write(json.dumps(head).encode() + b"\n" + body)
    await writer.drain()


async def read(reader):
    head = json.loads(await reader.readline())
    data = head.get("data", {})
    if head.get("data_length"):
        data.update(json.loads(await reader.readexactly(head["data_length"])))
    payload = b""
    if head.get("payload_length"):
        payload = await reader.readexactly(head["payload_length"])
    return head["type"], data, payload


async def audio(reader, last):
    pcm = b""
    while True:
        kind, data, payload = await read(reader)
        assert kind in ("audio-start", "audio-chunk", "audio-stop", last), (kind, data)
        pcm += payload
        if kind == last:
            return pcm


async def main(port, text, expected):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await write(writer, "describe")
    kind, info, _ = await read(reader)
    assert kind == "info" and info["tts"][0]["supports_synthesize_streaming"], info
    voice = {"voice": {"name": info["tts"][0]["voices"][0]["name"], "seed": 7}}
    await write(writer, "synthesize", {"text": text, **voice})
    assert await audio(reader, "audio-stop") == expected
    await write(writer, "synthesize-start", voice)
    for at in range(0, len(text), 6):
        await write(writer, "synthesize-chunk", {"text": text[at:at + 6]})
    await write(writer, "synthesize", {"text": text, **voice})
    await write(writer, "synthesize-stop")
    assert await audio(reader, "synthesize-stopped") == expected
    writer.close()


with open(sys.argv[3], "rb") as file:
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], file.read()))
