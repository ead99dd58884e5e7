// What the module has to know of a graph beyond its inputs and outputs: the metadata that voxport writes into it.

const kMetadataField = 14; // ModelProto.metadata_props, of which each has a key (1) and a value (2)

/** The fields of a protobuf message: their numbers, and of those that have a length their bytes. */
function* fieldsOf(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; scale < 2 ** 63; scale *= 128) {
      if (at >= bytes.length) throw new Error("it ends within a number");
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new Error("a number has too many bytes");
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const kind = tag % 8;
    if (kind === 0) {
      varint();
    } else if (kind === 2) {
      const length = varint();
      if (length > bytes.length - at) throw new Error("it is cut off");
      yield { number, bytes: bytes.subarray(at, at + length) };
      at += length;
    } else if (kind === 1 || kind === 5) {
      at += kind === 1 ? 8 : 4;
    } else {
      throw new Error(`a field is of the kind ${kind}`);
    }
  }
}

/**
 * The metadata of an ONNX file. Fails where the bytes are no protobuf message.
 * @param {Uint8Array} bytes
 * @returns {Map<string, string>}
 */
export function metadataOf(bytes) {
  const metadata = new Map();
  const decoder = new TextDecoder();
  for (const field of fieldsOf(bytes)) {
    if (field.number !== kMetadataField) continue;
    const entry = { 1: "", 2: "" };
    for (const part of fieldsOf(field.bytes)) entry[part.number] = decoder.decode(part.bytes);
    metadata.set(entry[1], entry[2]);
  }
  return metadata;
}

/**
 * An input or output of a session: its type and shape, in which axes of any size have names.
 * @returns {{name: string, type: string, shape: (number | string)[]} | undefined}
 */
export const portOf = (ports, name) => ports.find((port) => port.name === name);

/**
 * The states of a stream decoder before its first chunk: zeros. Whatever input is called "state..." is one, and the
 * output "next_state..." is what the next chunk gets for it; axes of any size are rows of a batch, of which there is one.
 * @param {import("onnxruntime-web").InferenceSession} session
 * @param {import("onnxruntime-web")} ort
 * @returns {Record<string, import("onnxruntime-web").Tensor>}
 */
export function firstStates(session, ort) {
  const states = {};
  for (const { name, type, shape } of session.inputMetadata) {
    if (!name.startsWith("state")) continue;
    if (!session.outputNames.includes(`next_${name}`))
      throw new Error(`decoder_stream.onnx takes '${name}' but gives no 'next_${name}'`);
    if (type !== "float32") throw new Error(`decoder_stream.onnx has '${name}' of type ${type}, expected float32`);
    const sizes = shape.map((size) => (typeof size === "number" ? size : 1));
    states[name] = new ort.Tensor("float32", new Float32Array(sizes.reduce((a, b) => a * b, 1)), sizes);
  }
  return states;
}
