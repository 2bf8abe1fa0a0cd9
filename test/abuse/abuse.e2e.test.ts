import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as s from '../support/shape';

// The short form of `npm run abuse`: each trick once, one after the other, and nothing that depends on the machine's speed.

const ABUSE_SCRIPT = join(__dirname, '..', '..', 'scripts', 'abuse.mjs');
const TIME_LIMIT_MS = 480_000;

const trickShape = s.object({ name: s.text(), rounds: s.number, answers: s.dictionary(s.number) });
const callsShape = { calls: s.number, errors: s.dictionary(s.number) };
const resultsShape = s.object({
  faults: s.list(s.text()),
  attacked: s.object({ ...callsShape, reads: s.dictionary(s.object(callsShape)) }),
  memory: s.list(s.object({ name: s.text(), peak: s.number, limit: s.number, ends: s.number })),
  tricks: s.list(trickShape),
});

let folder: string;
let found: s.Infer<typeof resultsShape>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-abuse-'));
  const file = join(folder, 'figures.json');
  // The program exits with code 1 when a limit is exceeded, after it has written its measured values.
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [ABUSE_SCRIPT, '--short', '--json', file],
    // Without jest's variables: NODE_ENV, for example, changes how the services behave.
    { env: { PATH: process.env['PATH'], HOME: process.env['HOME'] }, timeout: TIME_LIMIT_MS },
  ).catch((error: { stdout: string; stderr: string }) => error);
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`there are no figures:\n${stdout}\n${stderr}`);
  });
  found = resultsShape.parse(JSON.parse(text));
}, TIME_LIMIT_MS + 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

test('while a hostile tenant does every trick, no start or read of another tenant fails and no service exceeds its memory limit', () => {
  expect(found.faults).toEqual([]);
  const { reads, ...starts } = found.attacked;
  expect(Object.keys(reads)).toEqual(['instance', 'logs', 'list', 'runs (console)']);
  for (const { calls, errors } of [starts, ...Object.values(reads)]) {
    expect(calls).toBeGreaterThan(0);
    expect(errors).toEqual({});
  }
  for (const { peak, limit, ends } of found.memory) expect([ends, peak < limit]).toEqual([0, true]);
});

test('a short attack does every trick', () => {
  for (const { name, rounds, answers } of found.tricks) {
    expect([name, rounds]).toEqual([name, 1]);
    expect(Object.keys(answers)).not.toEqual([]);
  }
});
