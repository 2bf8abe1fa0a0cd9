import { Metrics } from '@batuta/observability';
import { execFile } from 'node:child_process';
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { ensurePromtool } from '../../scripts/lib/promtool.cjs';
import { SERVICES } from '../support/deployment/settings';
import * as s from '../support/shape';
import { documentedMetrics, readOperations } from '../support/operations-document';

// The alerts and dashboards of ops/, checked with promtool, the tool of Prometheus.

const run = promisify(execFile);
const PROMETHEUS = join(__dirname, '../../ops/prometheus');

const rulesShape = s.object({
  groups: s.list(
    s.object({
      rules: s.list(
        s.object({
          alert: s.text(),
          expr: s.text(),
          labels: s.object({ severity: s.text() }),
          annotations: s.object({ summary: s.text(), description: s.text(), runbook: s.text() }),
        }),
      ),
    }),
  ),
});
const targetsOfDnsShape = s.exactObject({ names: s.list(s.text()), type: s.text(), port: s.number });
const scrapeShape = s.object({ scrape_configs: s.list(s.object({ dns_sd_configs: s.list(targetsOfDnsShape) })) });
const dashboardShape = s.object({
  uid: s.text(),
  title: s.text(),
  panels: s.list(s.dictionary(s.anything)),
});
const targetsShape = s.list(s.object({ expr: s.text(), legendFormat: s.text() }));

type Alert = s.Infer<typeof rulesShape>['groups'][number]['rules'][number];

let promtool: string;
let alerts: Alert[];
beforeAll(async () => {
  promtool = await ensurePromtool();
  const rules: unknown = parse(await readFile(join(PROMETHEUS, 'alerts.yml'), 'utf8'));
  alerts = rulesShape.parse(rules).groups.flatMap(({ rules: ofGroup }) => ofGroup);
});

/** Runs promtool and returns its output; throws with its messages when it fails. */
async function check(...args: string[]): Promise<string> {
  const { stdout } = await run(promtool, args, { cwd: PROMETHEUS }).catch((error: unknown) => {
    const { stdout: out, stderr }: { stdout?: unknown; stderr?: unknown } = Object(error);
    throw new Error(`${String(out)}${String(stderr)}`);
  });
  return stdout;
}

/** The expressions of each dashboard, by `dashboard: panel`. */
async function dashboardExpressions(): Promise<Map<string, string>> {
  const expressions = new Map<string, string>();
  for await (const path of glob('ops/grafana/*.json')) {
    const json: unknown = JSON.parse(await readFile(path, 'utf8'));
    for (const { type, title, targets } of dashboardShape.parse(json).panels) {
      if (type === 'row') continue;
      for (const [index, { expr }] of targetsShape.parse(targets).entries()) {
        expressions.set(`${basename(path)}: ${String(title)} ${index + 1}`, expr.replaceAll('$__rate_interval', '5m'));
      }
    }
  }
  return expressions;
}

test('promtool accepts the rules of the alerts and the configuration of the scrape', async () => {
  expect(await check('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
  expect(await check('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
});

test('the scrape of compose asks each replica of every service, as `--scale` makes several behind one name', async () => {
  const config: unknown = parse(await readFile(join(PROMETHEUS, 'prometheus.yml'), 'utf8'));
  const [job] = scrapeShape.parse(config).scrape_configs;
  expect(job?.dns_sd_configs).toEqual([{ names: expect.any(Array), type: 'A', port: 8080 }]);
  expect(new Set(job?.dns_sd_configs[0]?.names)).toEqual(new Set(SERVICES));
});

test('each simulated fault fires its alerts and no others, and a healthy installation fires none', async () => {
  expect(await check('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
});

test('every alert has a simulated fault that fires it', async () => {
  const faults = await readFile(join(PROMETHEUS, 'alerts.test.yml'), 'utf8');
  const fired = new Set(Array.from(faults.matchAll(/alertname="(\w+)"/g), ([, name]) => name));
  expect(new Set(alerts.map(({ alert }) => alert))).toEqual(fired);
});

test('promtool reads the expressions of every panel of the dashboards', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-dashboards-'));
  const rules = [...(await dashboardExpressions()).values()].map((expr, index) => ({
    record: `panel:number_${index}`,
    expr,
  }));
  const file = join(folder, 'panels.json');
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
  expect(await check('check', 'rules', file)).toContain(`${rules.length} rules found`);
  await rm(folder, { recursive: true });
});

test('the panels of a dashboard have their own ids and titles', async () => {
  const uids: string[] = [];
  for await (const path of glob('ops/grafana/*.json')) {
    const json: unknown = JSON.parse(await readFile(path, 'utf8'));
    const { uid, panels } = dashboardShape.parse(json);
    uids.push(uid);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  }
  expect(new Set(uids).size).toBe(3);
});

test('every metric and label that an alert or a dashboard names exists', async () => {
  const documented = new Map((await documentedMetrics()).map((metric) => [metric.name, metric]));
  const ofNode = new Set((await new Metrics('any').registry.getMetricsAsJSON()).map(({ name }) => name));
  const expressions = [...(await dashboardExpressions()), ...alerts.map(({ alert, expr }) => [alert, expr] as const)];
  for (const [where, expr] of expressions) {
    const names = expr.match(/\b(?:batuta|gateway|console|nodejs|process)_\w+/g) ?? [];
    // `cronjob` is a label of kube-state-metrics.
    const labels = new Set(['service', 'instance', 'job', 'le', 'cronjob']);
    for (const found of names) {
      const name = documented.has(found) || ofNode.has(found) ? found : found.replace(/_(bucket|sum|count)$/, '');
      expect([where, name, documented.has(name) || ofNode.has(name)]).toEqual([where, name, true]);
      for (const label of documented.get(name)?.labels ?? []) labels.add(label);
    }
    const named = [
      ...Array.from(expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g), ([, label]) => label),
      ...Array.from(expr.matchAll(/\bby \(([^)]*)\)/g), ([, list = '']) => list.split(', ')).flat(),
    ];
    for (const label of named) expect([where, label, labels.has(String(label))]).toEqual([where, label, true]);
  }
});

test('each alert links to its section of the runbook, and no section is of an alert that is gone', async () => {
  const headings = Array.from((await readOperations()).matchAll(/^### (Batuta\w+)$/gm), ([, heading]) => heading);
  expect(headings).toEqual(alerts.map(({ alert }) => alert));
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
  }
});

test('the severities of the alerts are those that docs/operations.md explains', async () => {
  const text = await readOperations();
  for (const severity of new Set(alerts.map(({ labels }) => labels.severity)))
    expect(text).toContain(`\`${severity}\``);
});
