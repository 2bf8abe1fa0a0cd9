// Plain JavaScript: a worker thread loads this file without a transform, both in the build and under jest.
'use strict';
const { readFileSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { gunzipSync } = require('node:zlib');

// The limits of a worker thread do not count the memory of WebAssembly, which holds the picture.
const grow = Reflect.get(WebAssembly.Memory.prototype, 'grow');
const WASM_PAGE = 65_536;
WebAssembly.Memory.prototype.grow = function (pages) {
  const bytes = this.buffer.byteLength + pages * WASM_PAGE;
  if (bytes > workerData.memoryBytes) throw new RangeError('the picture needs too much memory');
  return grow.call(this, pages);
};

const tesseract = require('tesseract.js/src/worker-script/index.js');
const getCore = require('tesseract.js/src/worker-script/node/getCore.js');

/** LSTM_ONLY: the only engine whose data the agent has. */
const ENGINE = 1;

// Nothing is fetched or stored: the worker gets the paths of all data.
tesseract.setAdapter({ getCore, gunzip: gunzipSync });

function act(action, payload) {
  return new Promise((resolve, reject) => {
    tesseract.dispatchHandlers({ action, payload, workerId: 'ocr', jobId: action }, ({ status, data }) => {
      if (status === 'resolve') resolve(data);
      if (status === 'reject') reject(new Error(String(data)));
    });
  });
}

async function textOf(image) {
  const languages = workerData.languages.map(({ code, filePath }) => ({ code, data: readFileSync(filePath) }));
  const codes = languages.map(({ code }) => code).join('+');
  await act('load', { options: { lstmOnly: true, logging: false } });
  await act('loadLanguage', { langs: languages, options: { cacheMethod: 'none', gzip: true, lstmOnly: true } });
  await act('initialize', { langs: codes, oem: ENGINE });
  const { text } = await act('recognize', { image, options: {}, output: { text: true } });
  return text;
}

textOf(workerData.image).then(
  (text) => parentPort.postMessage({ text: text ?? '' }),
  (error) => parentPort.postMessage({ error: error.message }),
);
