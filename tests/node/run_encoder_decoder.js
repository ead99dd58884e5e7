// run_encoder_decoder.js FOLDER: speaks through encoder.onnx and decoder.onnx as a program that knows only the names of
// their tensors would, and checks what comes out.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

const kSentences = ['həlˈoʊ.', 'ðə kwˈɪk bɹˈaʊn fˈɑːks dʒˈʌmps ˌoʊvɚ ðə lˈeɪzi dˈɑːɡ.'];
const kQuietest = 0.01;  // rms of what is still speech

// bos, pad, then each phoneme and a pad, and eos.
function phonemeIds(map, sentence) {
  const known = Array.from(sentence).filter((phoneme) => phoneme in map);
  const padded = known.flatMap((phoneme) => [...map[phoneme], ...map._]);
  return [...map['^'], ...map._, ...padded, ...map.$];
}

function int64(values, dims) {
  return new ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims);
}

async function speak(encoder, decoder, config, ids) {
  const {noise_scale, length_scale, noise_w} = config.inference;
  const inputs = {
    input: int64(ids, [1, ids.length]),
    input_lengths: int64([ids.length], [1]),
    scales: new ort.Tensor('float32', [noise_scale, length_scale, noise_w], [3]),
  };
  if (encoder.inputNames.includes('sid')) inputs.sid = int64([0], [1]);
  const {z, y_mask, g} = await encoder.run(inputs);
  const frames = z.dims[2];
  assert.deepStrictEqual(y_mask.dims, [1, 1, frames]);
  assert(frames >= ids.length / 2, `${ids.length} phonemes became ${frames} frames`);

  const {output} = await decoder.run(g ? {z, y_mask, g} : {z, y_mask});
  assert.deepStrictEqual(output.dims, [1, 1, frames * (config.hop_length ?? 256)]);
  return output.data;
}

function checkAudio(samples) {
  assert(samples.every((sample) => Math.abs(sample) <= 1), 'a sample is beyond 1, or is no number');
  const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  assert(rms > kQuietest, `the rms is ${rms}, expected more than ${kQuietest}`);
  return rms;
}

async function main(folder) {
  const config = JSON.parse(fs.readFileSync(path.join(folder, 'voice.json'), 'utf8'));
  const encoder = await ort.InferenceSession.create(path.join(folder, 'encoder.onnx'));
  const decoder = await ort.InferenceSession.create(path.join(folder, 'decoder.onnx'));
  assert.deepStrictEqual(encoder.inputNames.slice(0, 3), ['input', 'input_lengths', 'scales']);
  assert.deepStrictEqual(encoder.outputNames.slice(0, 2), ['z', 'y_mask']);
  assert.deepStrictEqual(decoder.inputNames.slice(0, 2), ['z', 'y_mask']);
  assert.deepStrictEqual(decoder.outputNames[0], 'output');
  for (const sentence of kSentences) {
    const samples = await speak(encoder, decoder, config, phonemeIds(config.phoneme_id_map, sentence));
    const rms = checkAudio(samples);
    console.log(`${sentence}: ${(samples.length / config.audio.sample_rate).toFixed(2)} s, rms ${rms.toFixed(3)}`);
  }
}

main(process.argv[2]).catch((error) => {
  console.error(`FAILED: ${error.message}`);
  process.exit(1);
});
