// Plain JavaScript: a worker thread loads this file without a transform, both in the build and under jest.
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC, Scope } = require('quickjs-emscripten');
const { TEXT_CODECS, USES_TEXT_CODECS } = require('./text-codecs');

const WASM_PAGE = 65_536;
/** The initial memory of the module. */
const INITIAL_MEMORY_PAGES = 256;

// The maximum of this memory is the limit of an evaluation: setMemoryLimit counts only QuickJS allocations and lets the
// process grow far beyond.
const memory = new WebAssembly.Memory({
  initial: INITIAL_MEMORY_PAGES,
  maximum: Math.max(INITIAL_MEMORY_PAGES, Math.ceil(workerData.memoryBytes / WASM_PAGE)),
});

/**
 * Runs inside the sandbox before the author's code and keeps the built-ins that it needs, so that the code cannot replace
 * them. Converts a value to JSON text: dates to ISO text, undefined to null; values without a JSON form are refused.
 */
const WRITE_JSON = `(() => {
  const { stringify } = JSON, { isArray } = Array, { keys } = Object, { isFinite } = Number;
  const iso = Date.prototype.toISOString, call = Function.prototype.call, on = call.bind(call);
  const { has, add } = Set.prototype, remove = Set.prototype.delete;
  const DateClass = Date, SetClass = Set, Refusal = TypeError;
  const foreign = [Map, Set, WeakMap, WeakSet, Promise, RegExp], foreignCount = foreign.length;
  return (result, limit) => {
    const open = new SetClass();
    const trail = [];
    let depth = 0, size = 0;
    const refuse = (why) => {
      let place = '';
      for (let i = 0; i < depth; i++) place += typeof trail[i] === 'number' ? '[' + trail[i] + ']' : '.' + trail[i];
      throw new Refusal('the result' + (place && ' at ' + place) + ' ' + why);
    };
    const count = (text) => {
      if ((size += text.length) > limit) throw new Refusal('the result is larger than ' + limit + ' bytes');
      return text;
    };
    const scalar = (value) => {
      switch (typeof value) {
        case 'undefined': return 'null';
        case 'string': return stringify(value);
        case 'boolean': return value ? 'true' : 'false';
        case 'number': return isFinite(value) ? '' + value : refuse('is not a number (' + value + ')');
        case 'bigint': return refuse('is a BigInt; use Number(…)');
        default: return refuse('is a ' + typeof value);
      }
    };
    const list = (value) => {
      let text = count('[');
      for (let i = 0; i < value.length; i++) {
        trail[depth++] = i;
        text += (i ? count(',') : '') + write(value[i]);
        depth--;
      }
      return text + count(']');
    };
    const record = (value) => {
      let text = count('{');
      const names = keys(value);
      for (let i = 0; i < names.length; i++) {
        trail[depth++] = names[i];
        text += count((i ? ',' : '') + stringify(names[i]) + ':') + write(value[names[i]]);
        depth--;
      }
      return text + count('}');
    };
    const write = (value) => {
      if (value === null) return count('null');
      if (typeof value !== 'object') return count(scalar(value));
      if (value instanceof DateClass) return count(stringify(on(iso, value)));
      for (let i = 0; i < foreignCount; i++) if (value instanceof foreign[i]) refuse('is a ' + foreign[i].name);
      if (on(has, open, value)) refuse('refers to itself');
      on(add, open, value);
      const text = isArray(value) ? list(value) : record(value);
      on(remove, open, value);
      return text;
    };
    return write(result);
  };
})()`;

const WRAPPERS = {
  // The line break ends a trailing comment; the code starts in line 1, so that line numbers are the author's.
  expression: (code) => `(${code}\n)`,
  body: (code) => `(function () { ${code}\n})()`,
};

/** Name, message and line of the error that the author's code threw; `error` may be any value. */
function describe(context, error) {
  const dumped = context.dump(error);
  if (dumped === null || typeof dumped !== 'object') return { message: String(dumped) };
  const line = /<code>:(\d+)/.exec(String(dumped.stack ?? ''));
  const name = typeof dumped.name === 'string' ? dumped.name : '';
  const message = typeof dumped.message === 'string' ? dumped.message : JSON.stringify(dumped);
  return { message, name, line: line ? Number(line[1]) : undefined };
}

/** The failure of an evaluation, as one of the kinds of reply that Evaluator knows. */
function failure(context, error, overdue) {
  if (overdue()) return { kind: 'time' };
  const { message, name, line } = describe(context, error);
  if (name === 'InternalError' && message === 'out of memory') return { kind: 'memory', discard: true };
  if (message === 'stack overflow') return { kind: 'stack', discard: true };
  const plain = ['', undefined, 'Error', 'TypeError'].includes(name) ? message : `${name}: ${message}`;
  return { kind: 'code', message: plain.slice(0, 2_000), line };
}

/** Each evaluation has a runtime and a context of its own, so that it sees nothing of earlier evaluations. */
function evaluate(quickjs, request) {
  // Not the wall clock: a machine that sets its clock forward must not end the evaluation.
  const deadline = performance.now() + request.milliseconds;
  const overdue = () => performance.now() > deadline;
  return Scope.withScope((scope) => {
    const runtime = scope.manage(quickjs.newRuntime());
    runtime.setInterruptHandler(overdue);
    const context = scope.manage(runtime.newContext());
    const writer = scope.manage(context.unwrapResult(context.evalCode(WRITE_JSON, '<batuta>')));
    if (USES_TEXT_CODECS.test(request.code)) {
      scope.manage(context.unwrapResult(context.evalCode(TEXT_CODECS, '<batuta>')));
    }
    const result = context.evalCode(WRAPPERS[request.form](request.code), '<code>');
    if (result.error) return failure(context, scope.manage(result.error), overdue);
    const limit = scope.manage(context.newNumber(request.resultBytes));
    const written = context.callFunction(writer, context.undefined, scope.manage(result.value), limit);
    if (written.error) return failure(context, scope.manage(written.error), overdue);
    const json = context.getString(scope.manage(written.value));
    if (Buffer.byteLength(json) > request.resultBytes) {
      return { kind: 'code', message: `the result is larger than ${request.resultBytes} bytes` };
    }
    return { kind: 'value', json };
  });
}

/** `discard` = the module is damaged or holds much memory, so that Evaluator replaces this worker. */
function answer(quickjs, request) {
  try {
    const reply = evaluate(quickjs, request);
    return memory.buffer.byteLength > workerData.memoryBytes / 2 ? { ...reply, discard: true } : reply;
  } catch (error) {
    // A RangeError: recursion exceeded V8's own stack. Any other error: the module aborted.
    return { kind: error instanceof RangeError ? 'stack' : 'crash', discard: true };
  }
}

async function main() {
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory: memory }));
  parentPort.on('message', (request) => parentPort.postMessage(answer(quickjs, request)));
  parentPort.postMessage({ kind: 'ready' });
}

// A module that fails to load ends the thread, which Evaluator treats as a crash.
void main();
