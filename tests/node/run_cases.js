// run_cases.js FOLDER CASES: runs encoder.onnx and decoder.onnx of FOLDER on the recorded cases, and checks that they
// give what the code of the voice's authors gave.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

// As in tests/export/families_test.cpp: sums of the same products in another order.
const kLatentTolerance = 1e-5;
const kAudioTolerance = 5e-5;

// A safetensors file is the length of its header, the header in JSON, and the data.
function readTensors(file) {
  const bytes = fs.readFileSync(file);
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, start));
  const tensors = {};
  for (const [name, {dtype, shape, data_offsets: [begin, end]}] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const data = bytes.buffer.slice(bytes.byteOffset + start + begin, bytes.byteOffset + start + end);
    tensors[name] = dtype === 'I64' ? new ort.Tensor('int64', new BigInt64Array(data), shape) :
                                      new ort.Tensor('float32', new Float32Array(data), shape);
  }
  return tensors;
}

function pick(tensors, prefix, names) {
  return Object.fromEntries(names.map((name) => [name, tensors[prefix + name]]));
}

// Beyond the end of a row z is 0 in ours.
function largestDifference(found, expected, mask) {
  assert.deepStrictEqual(Array.from(found.dims), Array.from(expected.dims));
  const [, channels, frames] = found.dims;
  let largest = 0;
  found.data.forEach((value, i) => {
    const kept = mask ? mask.data[Math.floor(i / (channels * frames)) * frames + i % frames] : 1;
    largest = Math.max(largest, Math.abs(value - expected.data[i] * kept));
  });
  return largest;
}

function check(what, difference, tolerance) {
  assert(difference <= tolerance, `${what} differs by ${difference}, expected at most ${tolerance}`);
  return difference;
}

async function main(folder, file) {
  const tensors = readTensors(file);
  const encoder = await ort.InferenceSession.create(path.join(folder, 'encoder.onnx'));
  const decoder = await ort.InferenceSession.create(path.join(folder, 'decoder.onnx'));
  const cases = [...new Set(Object.keys(tensors).map((name) => name.split('/')[0]))].sort();
  let worst = 0;
  for (const name of cases) {
    const expected = (output) => tensors[`${name}/out/${output}`];
    const encoded = await encoder.run(pick(tensors, `${name}/in/`, encoder.inputNames));
    check(`${name}: durations`, largestDifference(encoded.durations, expected('durations')), 0);
    check(`${name}: z`, largestDifference(encoded.z, expected('z'), expected('y_mask')), kLatentTolerance);
    const {output} = await decoder.run(pick(encoded, '', decoder.inputNames));
    worst = Math.max(worst, check(`${name}: output`, largestDifference(output, expected('output')), kAudioTolerance));
  }
  console.log(`${path.basename(path.dirname(file))}/${path.basename(file)}: ${cases.length} cases, largest difference of the audio ${worst.toExponential(1)}`);
}

main(...process.argv.slice(2)).catch((error) => {
  console.error(`FAILED: ${error.message}`);
  process.exit(1);
});
