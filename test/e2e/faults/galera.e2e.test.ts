import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as s from '../../support/shape';

// The short form of `npm run chaos`: three nodes of MariaDB with Galera and three of NATS, with the shipped settings.

const CHAOS_SCRIPT = join(__dirname, '..', '..', '..', 'scripts', 'chaos.mjs');
const TIME_LIMIT_MS = 480_000;

const phaseShape = s.object({ name: s.text(), fault: s.object({ calls: s.number }) });
const resultsShape = s.object({
  starts: s.object({ accepted: s.number, stored: s.number }),
  lost: s.number,
  storedTwice: s.number,
  ranTwice: s.number,
  ledger: s.object({ balance: s.number, sum: s.number, due: s.number }),
  phases: s.list(phaseShape),
  broken: s.list(s.text()),
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-chaos-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test(
  'nothing is lost and nothing runs twice when the writer of a Galera cluster and a node of NATS are killed together under load',
  async () => {
    const file = join(folder, 'results.json');
    // The program exits with 1 when a promise is broken, after it has written its measured values.
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [CHAOS_SCRIPT, '--short', '--json', file],
      // Without jest's variables: NODE_ENV, for example, changes how the services behave.
      { env: { PATH: process.env['PATH'], HOME: process.env['HOME'] }, timeout: TIME_LIMIT_MS },
    ).catch((error: { stdout: string; stderr: string }) => error);
    const text = await readFile(file, 'utf8').catch(() => {
      throw new Error(`there are no results:\n${stdout}\n${stderr}`);
    });
    const { starts, lost, storedTwice, ranTwice, ledger, phases, broken } = resultsShape.parse(JSON.parse(text));
    expect(broken).toEqual([]);
    expect({ lost, storedTwice, ranTwice }).toEqual({ lost: 0, storedTwice: 0, ranTwice: 0 });
    expect([ledger.balance, ledger.sum]).toEqual([ledger.due, ledger.due]);
    expect(phases).toHaveLength(1);
    expect(starts.accepted).toBeGreaterThan(0);
  },
  TIME_LIMIT_MS + 60_000,
);
