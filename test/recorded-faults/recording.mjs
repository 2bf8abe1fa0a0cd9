import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/find-servers.cjs';
import { encodeValues } from './values.mjs';

/** The scrape interval in ops/prometheus/prometheus.yml. */
export const SCRAPE_SECONDS = 15;
const SCRAPE_TIME_LIMIT_MS = 10_000;
/** Matches a line of metrics: name, labels and value; a time or an exemplar at its end is ignored. */
const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)(?: \d+)?(?: #.*)?$/;

/** What a Prometheus would store of the services: the samples of each scrape, of the metrics that alerts name. */
export class Recording {
  scrapes = 0;
  /** Series → its samples by the number of the scrape; missing where a scrape did not have it. */
  #series = new Map();
  #targets;
  #names;

  /** `services`: name → `{ url }`. */
  static async begin(services) {
    const recording = new Recording();
    recording.#targets = Object.entries(services).map(([name, { url }]) => ({ instance: `${name}:8080`, url }));
    const alerts = await readFile(join(ROOT, 'ops', 'prometheus', 'alerts.yml'), 'utf8');
    recording.#names = new Set(alerts.match(/\b(?:batuta|gateway|console|nodejs|process)_\w+/g));
    return recording;
  }

  /** Reads the metrics of all services once. A service that does not answer within ten seconds has the sample `up` 0 and no other. */
  async scrape() {
    const number = this.scrapes;
    this.scrapes += 1;
    await Promise.all(
      this.#targets.map(async ({ instance, url }) => {
        const place = `instance="${instance}", job="batuta"`;
        const text = await readMetrics(`${url}/metrics`);
        this.#keep(number, `up{${place}}`, text === undefined ? 0 : 1);
        for (const line of text?.split('\n') ?? []) {
          const [, name, labels, value] = SAMPLE.exec(line) ?? [];
          if (!this.#names.has(name)) continue;
          this.#keep(number, `${name}{${labels ? `${labels}, ` : ''}${place}}`, Number(value));
        }
      }),
    );
  }

  /** A line for each series: its name and labels, a tab, and its samples as promtool reads them. */
  text() {
    return [...this.#series]
      .map(
        ([series, samples]) =>
          `${series}\t${encodeValues(Array.from({ length: this.scrapes }, (_, n) => samples[n]))}\n`,
      )
      .toSorted()
      .join('');
  }

  #keep(number, series, value) {
    if (!this.#series.has(series)) this.#series.set(series, []);
    this.#series.get(series)[number] = value;
  }
}

/** The text of the metrics; undefined when the service does not answer in time or not with success. */
async function readMetrics(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(SCRAPE_TIME_LIMIT_MS) });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}
