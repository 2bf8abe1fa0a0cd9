import { join } from 'node:path';
import { useSandbox } from '../../test/flow-world';
import { Sandbox, SANDBOX_DEFAULTS, SandboxError } from '.';
import { Evaluator } from './evaluator';

// `sandbox` has generous time limits, so that a slow machine fails no test; `strictSandbox` is for tests of time limits.
const sandbox = useSandbox();
const strictSandbox = useSandbox({ scriptMilliseconds: 300 });

const failureOf = async (work: Promise<unknown>): Promise<SandboxError> => {
  const outcome = await work.then(
    (value) => new Error(`gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof SandboxError) return outcome;
  throw outcome;
};

test('a worker that hangs while it loads is given up', async () => {
  const program = join(__dirname, '..', '..', 'test', 'hanging-worker.js');
  const evaluator = new Evaluator(SANDBOX_DEFAULTS.memoryBytes, { program, loadLimitMs: 100 });
  await evaluator.ready;
  expect(evaluator.discarded).toBe(true);
  await evaluator.close();
});

test('an evaluation is not too slow because the clock of the machine was set forward', async () => {
  const program = join(__dirname, '..', '..', 'test', 'clock-step-worker.js');
  const evaluator = new Evaluator(SANDBOX_DEFAULTS.memoryBytes, { program });
  await evaluator.ready;
  const code = 'let sum = 0; for (let n = 0; n < 100000; n += 1) sum += n; return sum;';
  const limits = { milliseconds: 600_000, resultBytes: SANDBOX_DEFAULTS.resultBytes };
  expect(await evaluator.run({ form: 'body', code, ...limits })).toBe(4_999_950_000);
  await evaluator.close();
});

describe('results', () => {
  test.each<[string, unknown]>([
    ['1 + 1', 2],
    ['0.1 * 3', 0.30000000000000004],
    ['"a" + 1 // with a comment', 'a1'],
    ['undefined', null],
    ['null', null],
    ['[1, undefined, "x"]', [1, null, 'x']],
    ['{ total: 10, none: undefined }', { total: 10, none: null }],
    ['new Date(Date.UTC(2026, 0, 2, 3, 4, 5))', '2026-01-02T03:04:05.000Z'],
    ['({ when: new Date(0) })', { when: '1970-01-01T00:00:00.000Z' }],
    ['"\\u00e7\\ud83d\\ude00 \\"quoted\\""', 'ç😀 "quoted"'],
    ['((shared) => [shared, shared])({ a: 1 })', [{ a: 1 }, { a: 1 }]],
    ['-0', 0],
  ])('the result of the expression %s is %j', async (code, value) => {
    expect(await sandbox.evaluateExpression(code)).toEqual(value);
  });

  test('the result of a script is its return value, and null without one', async () => {
    expect(await sandbox.runFunctionBody('const a = 2;\nreturn a * 21;')).toBe(42);
    expect(await sandbox.runFunctionBody('const a = 2; // no return')).toBeNull();
  });

  test.each<[string, RegExp]>([
    ['() => 1', /the result is a function/],
    ['[() => 1]', /the result at \[0\] is a function/],
    ['({ a: { b: Symbol("s") } })', /the result at \.a\.b is a symbol/],
    ['0 / 0', /is not a number \(NaN\)/],
    ['({ rate: 1 / 0 })', /the result at \.rate is not a number \(Infinity\)/],
    ['10n', /is a BigInt; use Number/],
    ['new Map([[1, 2]])', /is a Map/],
    ['Promise.resolve(1)', /is a Promise/],
    ['((a) => { a.self = a; return a; })({})', /the result at \.self refers to itself/],
    ['new Date("nonsense")', /RangeError: /],
    ['"x".repeat(1024 * 1024)', /larger than 1048576 bytes/],
    ['"é".repeat(600 * 1024)', /larger than 1048576 bytes/],
    ['Array.from({ length: 600000 }, () => 1)', /larger than 1048576 bytes/],
  ])('the result of the expression %s is refused', async (code, message) => {
    expect(await failureOf(sandbox.evaluateExpression(code))).toMatchObject({
      kind: 'code',
      message: expect.stringMatching(message),
    });
  });
});

describe('errors', () => {
  test.each<[string, string, number]>([
    ['const a = 1;\n\nnull.price', "cannot read property 'price' of null", 3],
    ['throw new Error("no customer")', 'no customer', 1],
    ['const a = ;', 'SyntaxError: ', 1],
    ['return missing', 'ReferenceError: ', 1],
  ])('an error in the code %j is reported with its message and line', async (code, message, line) => {
    const error = await failureOf(sandbox.runFunctionBody(code));
    expect(error).toMatchObject({ kind: 'code', message: expect.stringContaining(message), line });
  });

  test.each(['null', 'undefined', '"text"', '{ a: 1 }', '{ get message() { throw 1; } }'])(
    'a thrown %s is an error as well',
    async (thrown) => {
      expect((await failureOf(sandbox.runFunctionBody(`throw ${thrown};`))).kind).toBe('code');
    },
  );
});

describe('bounds', () => {
  test.each<[string, string, SandboxError['kind']]>([
    ['an endless loop', 'for (;;) {}', 'time'],
    ['an endless loop that catches everything', 'for (;;) { try { for (;;) {} } catch {} }', 'time'],
    ['a catastrophic regular expression', 'return /(a+)+$/.test("a".repeat(60) + "b")', 'time'],
    ['an endless getter in the result', 'return { get a() { for (;;) {} } }', 'time'],
    ['a memory bomb', 'const a = []; for (;;) a.push("x".repeat(10000) + a.length)', 'memory'],
    ['a huge array', 'return new Array(1e8).fill(0).length', 'memory'],
    ['endless recursion', 'const f = () => f(); return f()', 'stack'],
    ['a deeply nested text to parse', 'return JSON.parse("[".repeat(1e6))', 'stack'],
    ['a result nested too deeply', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a', 'stack'],
  ])('the bounds of an evaluation end %s, and the next evaluation runs', async (_name, code, kind) => {
    const runner = kind === 'time' ? strictSandbox : sandbox;
    expect((await failureOf(runner.runFunctionBody(code))).kind).toBe(kind);
    expect(await runner.evaluateExpression('6 * 7')).toBe(42);
  });

  test('the bounds of an evaluation leave the event loop and other evaluations free while a script loops', async () => {
    const loop = failureOf(strictSandbox.runFunctionBody('for (;;) {}'));
    expect(await strictSandbox.evaluateExpression('1')).toBe(1);
    expect((await loop).kind).toBe('time');
  });

  test('the bounds of an evaluation include an abort by the caller, also while the evaluation waits for a worker', async () => {
    const stop = new AbortController();
    const busy = [1, 2].map(() => failureOf(sandbox.runFunctionBody('for (;;) {}', stop.signal)));
    const waiting = failureOf(sandbox.runFunctionBody('return 1', stop.signal));
    stop.abort();
    for (const work of [...busy, waiting]) expect((await work).kind).toBe('aborted');
    expect(await sandbox.evaluateExpression('2')).toBe(2);
  });

  test('more evaluations than workers run one after the other', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => sandbox.evaluateExpression(`${n}`)));
    expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });
});

describe('isolation', () => {
  test.each([
    'process',
    'require',
    'module',
    'fetch',
    'setTimeout',
    'Buffer',
    'WebAssembly',
    'postMessage',
    'importScripts',
    'std',
    'os',
  ])('isolated code has no global %s', async (name) => {
    expect(await sandbox.evaluateExpression(`typeof ${name}`)).toBe('undefined');
  });

  test.each([
    '(function () { return this.process })()',
    'this.constructor.constructor("return typeof process")() === "undefined" ? null : 1',
    '[].constructor.constructor("return typeof require")() === "undefined" ? null : 1',
  ])('isolated code reaches no host object by %s', async (code) => {
    expect(await sandbox.evaluateExpression(code)).toBeNull();
  });

  test('isolated code cannot import a module', async () => {
    expect((await failureOf(sandbox.runFunctionBody('return import("fs")'))).kind).toBe('code');
  });

  test('isolated code sees nothing of an earlier evaluation', async () => {
    await sandbox.runFunctionBody('globalThis.leak = 1; Array.prototype.leak = 2; Object.prototype.leak = 3;');
    for (let i = 0; i < 3; i++)
      expect(await sandbox.evaluateExpression('[typeof leak, [].leak]')).toEqual(['undefined', null]);
  });

  test('isolated code that replaces built-ins still gives a valid JSON result', async () => {
    const code = `JSON.stringify = () => '{"forged":'; Array.isArray = () => false; Object.keys = () => [];
      String.prototype.length = 0; Number.isFinite = () => true; return { a: [1] };`;
    expect(await sandbox.runFunctionBody(code)).toEqual({ a: [1] });
  });

  test('isolated code that returns a __proto__ key does not change the prototype of the result', async () => {
    const value = await sandbox.evaluateExpression('JSON.parse(\'{"__proto__": {"admin": true}}\')');
    expect(value).not.toHaveProperty('admin');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

test('a closed sandbox refuses evaluations', async () => {
  const short = new Sandbox({ ...SANDBOX_DEFAULTS, workers: 1 });
  await short.close();
  expect((await failureOf(short.evaluateExpression('1'))).kind).toBe('aborted');
});
