import { glob, readFile } from 'node:fs/promises';
import { documentedMetrics } from '../support/operations-document';

interface MetricShape {
  type: string;
  labels: string[];
}

/** The type and the labels of each metric that the services register, by name, from their sources. */
async function registeredMetrics(): Promise<Map<string, MetricShape>> {
  const found = new Map<string, MetricShape>();
  for (const pattern of ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts']) {
    for await (const path of glob(pattern)) {
      const text = path.endsWith('.test.ts') ? '' : await readFile(path, 'utf8');
      for (const [, type, name, more = ''] of text.matchAll(
        /\bmetrics\s*\.(counter|gauge|gauges|summary|histogram)\(\s*'([^']+)'(.*?)\);/gs,
      )) {
        // The labels are a list of words; a gauge that a function reads has none.
        const [, words = ''] = (type !== 'gauge' && /\[((?:\s*'\w+',?)*\s*)\]/.exec(more)) || [];
        const labels = Array.from(words.matchAll(/\w+/g), ([label]) => label);
        found.set(String(name), { type: type === 'gauges' ? 'gauge' : String(type), labels });
      }
    }
  }
  return found;
}

test('every metric that a service registers is in docs/operations.md with its type and labels, and no other is', async () => {
  const documented = await documentedMetrics();
  expect(new Map(documented.map(({ name, type, labels }) => [name, { type, labels }]))).toEqual(
    await registeredMetrics(),
  );
});

test('each metric in docs/operations.md has a meaning', async () => {
  for (const metric of await documentedMetrics())
    expect(metric).toMatchObject({ meaning: expect.stringMatching(/\w/) });
});
