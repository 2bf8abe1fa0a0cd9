'use strict';
// The build copies this file to dist/apps/<name>/main.js. It runs the bundle beside it with the compiled functions that the build has
// kept (keep-compiled.cjs). Without them V8 would compile two thousand modules, a third of the processor time of a service's start.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { constants } = require('node:os');
const path = require('node:path');
const vm = require('node:vm');

const BUNDLE = path.join(__dirname, 'main.bundle.js');
const COMPILED = path.join(__dirname, 'main.compiled');
/** The file begins with this SHA-256, because V8 compares only the length of the text, and runs damaged functions or those of another processor. */
const HASH_BYTES = 32;

/** The bundle loads for up to some seconds. A signal in that time, which process 1 of a container would ignore, waits for the bundle's own handler. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'];
const end = (signal) => process.exit(128 + constants.signals[signal]);
for (const signal of STOP_SIGNALS) process.on(signal, end);

const run = compiledBundle();
if (run) run.call(module.exports, module.exports, require, module, BUNDLE, __dirname);
else require(BUNDLE);

for (const signal of STOP_SIGNALS) process.off(signal, end);

/** The function around the bundle. Undefined without compiled functions, and with damaged ones or those of another bundle, Node, processor or set of V8 flags. */
function compiledBundle() {
  const compiled = readCompiled();
  if (!compiled) return undefined;
  const code = readFileSync(BUNDLE);
  const functions = compiled.subarray(HASH_BYTES);
  // The same hash as in keep-compiled.cjs, which writes the file.
  const hash = createHash('sha256')
    .update(`${process.version} ${process.arch}`)
    .update(code)
    .update(functions)
    .digest();
  if (!hash.equals(compiled.subarray(0, HASH_BYTES))) return undefined;
  const script = new vm.Script(Module.wrap(code.toString('latin1')), {
    filename: BUNDLE,
    cachedData: functions,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return script.cachedDataRejected ? undefined : script.runInThisContext();
}

function readCompiled() {
  try {
    return readFileSync(COMPILED);
  } catch {
    return undefined;
  }
}
