import { readFile } from 'node:fs/promises';

export interface DocumentedMetric {
  name: string;
  service: string;
  type: string;
  labels: string[];
  meaning: string;
}

export function readOperations(): Promise<string> {
  return readFile('docs/operations.md', 'utf8');
}

/** The rows of the table of metrics in docs/operations.md. */
export async function documentedMetrics(): Promise<DocumentedMetric[]> {
  const text = await readOperations();
  return Array.from(
    text.matchAll(/^\| `(\w+)` +\| (\w+(?:, \w+)*) +\| (counter|gauge|summary|histogram) +\| ([^|]*)\| ([^|]*)\|$/gm),
    ([, name = '', service = '', type = '', labels = '', meaning = '']) => ({
      name,
      service,
      type,
      labels: Array.from(labels.matchAll(/`(\w+)`/g), ([, label = '']) => label),
      meaning: meaning.trim(),
    }),
  );
}
