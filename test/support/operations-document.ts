import { readFile } from 'node:fs/promises';

/** A row of the table of metrics, each column as its text. */
export interface DocumentedMetric {
  name: string;
  /** One service, or several separated by commas. */
  service: string;
  type: string;
  labels: string[];
  meaning: string;
}

/** The text of docs/operations.md; jest runs in the root of the project. */
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
