import * as fc from 'fast-check';
import type { Description, Operation } from './document';
import { sendWithRetry, type RawAnswer } from './raw-http';
import { rawOf, requestsOf, type KnownValues, type RequestParts } from './requests';
import { mutations, type Mutation } from './mutations';
import { violationOf, passed } from './answer-check';

// FUZZ_SEED selects other requests, FUZZ_RUNS more of them, FUZZ_ROUTE_MS the time limit of a route.
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
/** A report may quote a body of a megabyte. */
export const MAX_REPORT_LENGTH = 5_000;
/** Requests to each route of the public API. */
export const RUNS = Number(process.env['FUZZ_RUNS'] ?? 50);
/** Time limit of one route; the remaining requests are skipped. */
const ROUTE_MILLISECONDS = Number(process.env['FUZZ_ROUTE_MS'] ?? 120_000);

/** Settings of the tested services: no log line per refusal. */
export const QUIET_LOGS = { LOG_LEVEL: 'error' };

/** Refusals of the request itself, which a request that the document allows must not get. */
const OF_THE_REQUEST = [400, 401, 413, 415];

export interface FuzzTarget {
  url: string;
  description: Description;
  /** Requests to each route. */
  runs: number;
  /** Known values and credentials for one route. */
  given: (operation: Operation) => { known: KnownValues; credentials: [name: string, value: string][] };
  /** Routes whose validation depends on more than the request; all others must accept what the document allows. */
  inexact?: string[];
  /** Names of mutations that would destroy the tested world. */
  without?: string[];
}

/** Sends requests that the document allows, and mutates one of three. */
export class Fuzzer {
  private readonly counts = new Map<string, Map<number, number>>();
  private sent = 0;
  private passed = 0;

  constructor(private readonly subject: FuzzTarget) {}

  /** The first violation of a route with the smallest request that shows it; undefined when none is found. */
  async findViolation(operation: Operation): Promise<string | undefined> {
    const property = fc.asyncProperty(this.inputsOf(operation), async ([parts, mutation]) => {
      const answer = await this.ask(operation, mutation ? mutation.apply(parts) : parts);
      const violation = this.violation(operation, answer, mutation);
      if (violation === undefined) return;
      const { status, body } = answer;
      throw new Error(`${violation}\nto ${mutation?.name ?? 'a plain request'}: ${status} ${body.slice(0, 500)}`);
    });
    const bounds = { interruptAfterTimeLimit: ROUTE_MILLISECONDS, markInterruptAsFailure: false };
    const details = await fc.check(property, { seed: SEED, numRuns: this.subject.runs, ...bounds });
    return details.failed
      ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)?.slice(0, MAX_REPORT_LENGTH)}`
      : undefined;
  }

  /** The share of requests that passed validation, and one line of statuses per route. */
  report(): { share: number; text: string } {
    const share = this.passed / this.sent;
    const lines = [...this.counts].map(([name, statuses]) => {
      const sorted = [...statuses].toSorted(([one], [other]) => one - other);
      return `  ${name}: ${sorted.map(([status, times]) => `${times}×${status}`).join(' ')}`;
    });
    const head = `fuzz seed ${SEED}: ${(100 * share).toFixed(1)} % of ${this.sent} requests passed validation`;
    return { share, text: [head, ...lines].join('\n') };
  }

  private inputsOf(operation: Operation): fc.Arbitrary<[RequestParts, Mutation | undefined]> {
    const { given, without = [] } = this.subject;
    const { known, credentials } = given(operation);
    const mutated = mutations().filter(({ name }) => !without.includes(name));
    const mutation = fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: mutated });
    return fc.tuple(requestsOf(operation, known, credentials), mutation);
  }

  private async ask({ name }: Operation, parts: RequestParts): Promise<RawAnswer> {
    const answer = await sendWithRetry(this.subject.url, rawOf(parts));
    const statuses = this.counts.get(name) ?? new Map<number, number>();
    this.counts.set(name, statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1));
    this.sent += 1;
    this.passed += passed(answer) ? 1 : 0;
    return answer;
  }

  private violation(operation: Operation, answer: RawAnswer, mutation: Mutation | undefined): string | undefined {
    const { description, inexact = [] } = this.subject;
    const violation = violationOf(answer, { description, operation, mutated: mutation !== undefined });
    if (violation !== undefined || mutation || inexact.includes(operation.name)) return violation;
    return OF_THE_REQUEST.includes(answer.status) ? 'refused, though the document allows it' : undefined;
  }
}
