import { appendFileSync } from 'node:fs';
import type { FuzzStack } from './fuzz-stack';
import { REPORT_FILE, SEED } from './fuzz-settings';

/**
 * Maximum memory that the services may gain during one test file after its warm-up. A leak of 10 KB a request exceeds it after 20,000
 * requests.
 */
export const MAX_MEMORY_GROWTH_MB = 200;

/** Counts the requests and their answers, and measures the memory of the services. */
export class FuzzReport {
  private readonly counts = new Map<string, Map<string, number>>();
  private readonly began = performance.now();
  private sent = 0;
  private passed = 0;
  private unavailable = 0;
  private warmedUpMegabytes = Number.NaN;

  constructor(
    private readonly name: string,
    private readonly stack: () => FuzzStack,
  ) {}

  /** Counts a request to `route` and the status of its answer; `passed` = it passed validation. 502 and 503 also count as unavailable. */
  count(route: string, status: number | string, passed = false): void {
    const statuses = this.counts.get(route) ?? new Map<string, number>();
    this.counts.set(route, statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1));
    this.sent += 1;
    this.passed += passed ? 1 : 0;
    this.unavailable += [502, 503].includes(Number(status)) ? 1 : 0;
  }

  /** Call it after the warm-up: reads the memory from which the growth is counted. */
  startMeasuringGrowth(): void {
    this.warmedUpMegabytes = this.stack().megabytes();
  }

  /** The names of the routes that have at least one counted request. */
  get routes(): string[] {
    return [...this.counts.keys()];
  }

  /** How many requests got this status, over all routes. */
  countOfStatus(status: number): number {
    return [...this.counts.values()].reduce((sum, statuses) => sum + (statuses.get(String(status)) ?? 0), 0);
  }

  /**
   * Prints the measured values, and appends them to the report file of `npm run fuzz`. The shares are of all requests; `growthMB` is NaN
   * where there is no /proc.
   */
  printAndSave(): { passedShare: number; unavailableShare: number; growthMB: number } {
    const { name, sent, warmedUpMegabytes: before } = this;
    const after = this.stack().megabytes();
    const seconds = Math.round((performance.now() - this.began) / 1_000);
    const routes = Object.fromEntries(
      [...this.counts].map(([route, statuses]) => [route, Object.fromEntries(statuses)]),
    );
    const memory = `${before.toFixed(0)} MB after the warm-up, ${after.toFixed(0)} MB at the end`;
    const lines = Object.entries(routes).map(([route, statuses]) => `  ${route}: ${statusCountsText(statuses)}`);
    process.stdout.write(`${name}, seed ${SEED}: ${sent} requests, ${seconds} s, ${memory}\n${lines.join('\n')}\n`);
    if (REPORT_FILE) appendFileSync(REPORT_FILE, `${JSON.stringify({ name, sent, seconds, before, after, routes })}\n`);
    return {
      passedShare: this.passed / sent,
      unavailableShare: this.unavailable / sent,
      growthMB: after - before,
    };
  }
}

function statusCountsText(statuses: Record<string, number>): string {
  return Object.entries(statuses)
    .map(([status, times]) => `${times}×${status}`)
    .join(' ');
}
