// speak_with_sherpa.js FOLDER ESPEAK_DATA: has sherpa-onnx speak voice.onnx, from text, and checks what comes out.
'use strict';
const assert = require('assert');
const path = require('path');
const sherpa = require('sherpa-onnx-node');

const kText = 'Hello world, this is a test of the streaming voice.';
const kQuietest = 0.01;  // rms of what is still speech

const [folder, dataDir] = process.argv.slice(2);
const voice = new sherpa.OfflineTts({
  model: {
    vits: {model: path.join(folder, 'voice.onnx'), tokens: path.join(folder, 'tokens.txt'), dataDir},
    numThreads: 1,
    provider: 'cpu',
  },
  maxNumSentences: 1,
});
const {samples, sampleRate} = voice.generate({text: kText, sid: 0, speed: 1.0});

const seconds = samples.length / sampleRate;
const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
assert(samples.every((sample) => Number.isFinite(sample)), 'a sample is no number');
assert(seconds > 1.5 && seconds < 6, `"${kText}" took ${seconds} s, expected between 1.5 and 6`);
assert(rms > kQuietest, `the rms is ${rms}, expected more than ${kQuietest}`);
console.log(`${kText}: ${seconds.toFixed(2)} s at ${sampleRate} Hz, rms ${rms.toFixed(3)}`);
