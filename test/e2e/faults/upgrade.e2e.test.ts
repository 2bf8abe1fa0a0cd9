import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as s from '../../support/shape';

// The short form of `npm run upgrade`. On a developer's clone that lacks the previous release and cannot fetch it, this build takes the place of
// that release, and the program prints a warning. In CI the test fails instead, because it would prove nothing. A test of libs/database
// (additions.test.ts) also checks that migrations do not break the previous release.

const UPGRADE_SCRIPT = join(__dirname, '..', '..', '..', 'scripts', 'upgrade.mjs');
const TIME_LIMIT_MS = 480_000;

const resultsShape = s.object({
  release: s.text(),
  starts: s.object({ accepted: s.number }),
  lost: s.number,
  storedTwice: s.number,
  ranTwice: s.number,
  crashed: s.number,
  ledger: s.object({ balance: s.number, sum: s.number, due: s.number }),
  broken: s.list(s.text()),
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-upgrade-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test(
  'the previous release and this one run beside each other on the new schema under load, and back, without a failed call or a lost start',
  async () => {
    const file = join(folder, 'results.json');
    // The program exits with 1 when a promise is broken, after it has written its measured values.
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [UPGRADE_SCRIPT, '--short', ...(process.env['CI'] ? [] : ['--or-itself']), '--json', file],
      // Without jest's variables: NODE_ENV, for example, changes how the services behave.
      { env: { PATH: process.env['PATH'], HOME: process.env['HOME'] }, timeout: TIME_LIMIT_MS },
    ).catch((error: { stdout: string; stderr: string }) => error);
    const text = await readFile(file, 'utf8').catch(() => {
      throw new Error(`there are no results:\n${stdout}\n${stderr}`);
    });
    const { release, starts, ledger, broken, ...counts } = resultsShape.parse(JSON.parse(text));
    if (!/^[0-9a-f]{40}$/.test(release))
      process.stdout.write(`upgrade.e2e.test: the previous release was ${release}\n`);
    expect(broken).toEqual([]);
    const { lost, storedTwice, ranTwice, crashed } = counts;
    expect({ lost, storedTwice, ranTwice, crashed }).toEqual({ lost: 0, storedTwice: 0, ranTwice: 0, crashed: 0 });
    expect([ledger.balance, ledger.sum]).toEqual([ledger.due, ledger.due]);
    expect(starts.accepted).toBeGreaterThan(0);
  },
  TIME_LIMIT_MS + 60_000,
);
