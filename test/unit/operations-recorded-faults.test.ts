import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePromtool } from '../../scripts/lib/promtool.cjs';

// Runs the alerts of ops/ on metrics that test/recorded-faults recorded: for each fault it starts all services, servers and agents with a
// load, and breaks one part after some minutes.

const RECORDINGS = join(__dirname, '../fixtures/recorded-faults');
const ALERTS = join(__dirname, '../../ops/prometheus/alerts.yml');
const FIRING = 'group by (alertname) (ALERTS{alertstate="firing"})';
const HEADER = /^# (\d+) minutes without the fault, (\d+) minutes with it, a scrape each (\d+) seconds\.$/m;

/** The alerts that fire at the end of each recording. */
const FAULTS: [recording: string, alerts: string[]][] = [
  ['database-away', ['BatutaDatabaseSilent', 'BatutaErrorRate', 'BatutaRpcErrors']],
  ['nats-away', ['BatutaNatsAway', 'BatutaErrorRate', 'BatutaRpcErrors']],
  ['webhook-service-away', ['BatutaServiceDown', 'BatutaServiceMissing', 'BatutaErrorRate', 'BatutaRpcErrors']],
  ['agents-away', ['BatutaAgentsGone', 'BatutaInstancesLost']],
  ['external-system-slow', ['BatutaQueueGrows', 'BatutaQueueOld', 'BatutaSlowDispatch']],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-recorded-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(FAULTS)(
  'the recorded fault %s fires its alerts and no others, and none fires before it',
  async (name, alerts) => {
    const text = await readFile(join(RECORDINGS, `${name}.txt`), 'utf8');
    const [before = 0, after = 0, seconds = 0] = (HEADER.exec(text) ?? []).slice(1).map(Number);
    const series = Array.from(text.matchAll(/^([^#\t\n]+)\t(.+)$/gm), ([, labels, values]) => ({
      series: labels,
      values,
    }));
    const expected = alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }));
    const file = join(folder, `${name}.json`);
    await writeFile(
      file,
      // JSON is YAML.
      JSON.stringify({
        rule_files: [ALERTS],
        evaluation_interval: `${seconds}s`,
        tests: [
          {
            interval: `${seconds}s`,
            input_series: series,
            promql_expr_test: [
              { expr: FIRING, eval_time: `${before * 60 - seconds}s`, exp_samples: [] },
              { expr: FIRING, eval_time: `${(before + after) * 60 - seconds}s`, exp_samples: expected },
            ],
          },
        ],
      }),
    );
    expect(await run('test', 'rules', file)).toContain('SUCCESS');
  },
);

test('each recording belongs to a test', async () => {
  expect((await readdir(RECORDINGS)).toSorted()).toEqual(FAULTS.map(([name]) => `${name}.txt`).toSorted());
});

/** Runs promtool and returns its output; throws with its messages when it fails. */
async function run(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(await ensurePromtool(), args).catch((error: unknown) => {
    const { stdout: out, stderr }: { stdout?: unknown; stderr?: unknown } = Object(error);
    throw new Error(`${String(out)}${String(stderr)}`);
  });
  return stdout;
}
