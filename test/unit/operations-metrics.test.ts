import { glob, readFile } from 'node:fs/promises';
import { documentedMetrics } from '../support/operations-document';

/** The metrics that the services register, from their sources: name, type and names of labels. */
async function registeredMetrics(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const pattern of ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts']) {
    for await (const path of glob(pattern)) {
      const text = path.endsWith('.test.ts') ? '' : await readFile(path, 'utf8');
      for (const [, type, name] of text.matchAll(
        /\bmetrics\s*\.(counter|gauge|gauges|summary|histogram)\(\s*'([^']+)'/g,
      )) {
        found.set(String(name), type === 'gauges' ? 'gauge' : String(type));
      }
    }
  }
  return found;
}

test('every metric that a service registers is in docs/operations.md with its type, and no other is', async () => {
  const documented = await documentedMetrics();
  expect(new Map(documented.map(({ name, type }) => [name, type]))).toEqual(await registeredMetrics());
});

test('each metric in docs/operations.md has a meaning', async () => {
  for (const metric of await documentedMetrics())
    expect(metric).toMatchObject({ meaning: expect.stringMatching(/\w/) });
});
