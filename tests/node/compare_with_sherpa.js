// compare_with_sherpa.js FOLDER TEXT RAW [ESPEAK_DATA]: has sherpa-onnx speak a text by voice.onnx, and compares its
// samples with 16-bit ones in a file.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const sherpa = require('sherpa-onnx-node');

const kNoNoise = 1e-9;  // it takes 0 for "not given"
const kTolerance = 2 / 32767;  // 16-bit numbers are rounded

const [folder, text, raw, dataDir] = process.argv.slice(2);
const voice = new sherpa.OfflineTts({
  model: {
    vits: {
      model: path.join(folder, 'voice.onnx'),
      tokens: path.join(folder, 'tokens.txt'),
      dataDir,
      noiseScale: kNoNoise,
      noiseScaleW: kNoNoise,
      lengthScale: 1,
    },
    numThreads: 1,
    provider: 'cpu',
  },
  maxNumSentences: 1,
  silenceScale: 1,
});
const {samples} = voice.generate({text, sid: 0, speed: 1.0});

const expected = fs.readFileSync(raw);
assert.strictEqual(samples.length, expected.length / 2, `"${text}": other durations, so other ids`);
const difference = samples.reduce(
    (most, sample, i) => Math.max(most, Math.abs(Math.max(-1, Math.min(1, sample)) - expected.readInt16LE(2 * i) / 32767)), 0);
assert(difference <= kTolerance, `"${text}" differs by ${difference}, expected at most ${kTolerance}`);
console.log(`${text}: ${samples.length} samples, the same`);
