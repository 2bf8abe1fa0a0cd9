import * as fc from 'fast-check';
import type { Description, Operation } from './document';
import { sendPatiently, type RawAnswer } from './raw-http';
import { rawOf, requestsOf, type Known, type Parts } from './requests';
import { twists, type Twist } from './twists';
import { complaintAbout, passed } from './answer-check';

// FUZZ_SEED=7 FUZZ_RUNS=1000 FUZZ_ROUTE_MS=60000 looks elsewhere, and longer.
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
/** Requests to each route of the public API. */
export const RUNS = Number(process.env['FUZZ_RUNS'] ?? 50);
/** Of one route; what has not been tried by then is left out. */
const ROUTE_MILLISECONDS = Number(process.env['FUZZ_ROUTE_MS'] ?? 120_000);

/** Of the services under test: refusals are not worth a line each. */
export const QUIET = { LOG_LEVEL: 'error' };

/** Refusals of what was sent; a request that the document allows must not meet them. */
const OF_THE_REQUEST = [400, 401, 413, 415];

export interface Subject {
  url: string;
  description: Description;
  /** Requests to each route. */
  runs: number;
  /** What is real for one route. */
  given: (operation: Operation) => { known: Known; credentials: [name: string, value: string][] };
  /** Routes whose validation depends on more than the request; all others must take what the document allows. */
  inexact?: string[];
  /** Twists that would end the world under test. */
  without?: string[];
}

/** Two requests of three are what the document allows; the third has one thing about it that no document allows. */
export class Fuzzer {
  private readonly counts = new Map<string, Map<number, number>>();
  private sent = 0;
  private passed = 0;

  constructor(private readonly subject: Subject) {}

  /** What is wrong with a route, with the smallest request that shows it; undefined when nothing was found. */
  async faultOf(operation: Operation): Promise<string | undefined> {
    const property = fc.asyncProperty(this.inputsOf(operation), async ([parts, twist]) => {
      const answer = await this.ask(operation, twist ? twist.apply(parts) : parts);
      const complaint = this.complaint(operation, answer, twist);
      if (complaint === undefined) return;
      const { status, body } = answer;
      throw new Error(`${complaint}\nto ${twist?.name ?? 'a plain request'}: ${status} ${body.slice(0, 500)}`);
    });
    const bounds = { interruptAfterTimeLimit: ROUTE_MILLISECONDS, markInterruptAsFailure: false };
    const details = await fc.check(property, { seed: SEED, numRuns: this.subject.runs, ...bounds });
    return details.failed ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}` : undefined;
  }

  /** The share of the requests that passed validation, and a line for each route. */
  report(): { share: number; text: string } {
    const share = this.passed / this.sent;
    const lines = [...this.counts].map(([name, statuses]) => {
      const sorted = [...statuses].toSorted(([one], [other]) => one - other);
      return `  ${name}: ${sorted.map(([status, times]) => `${times}×${status}`).join(' ')}`;
    });
    const head = `fuzz seed ${SEED}: ${(100 * share).toFixed(1)} % of ${this.sent} requests passed validation`;
    return { share, text: [head, ...lines].join('\n') };
  }

  private inputsOf(operation: Operation): fc.Arbitrary<[Parts, Twist | undefined]> {
    const { given, without = [] } = this.subject;
    const { known, credentials } = given(operation);
    const twisted = twists().filter(({ name }) => !without.includes(name));
    const twist = fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: twisted });
    return fc.tuple(requestsOf(operation, known, credentials), twist);
  }

  private async ask({ name }: Operation, parts: Parts): Promise<RawAnswer> {
    const answer = await sendPatiently(this.subject.url, rawOf(parts));
    const statuses = this.counts.get(name) ?? new Map<number, number>();
    this.counts.set(name, statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1));
    this.sent += 1;
    this.passed += passed(answer) ? 1 : 0;
    return answer;
  }

  private complaint(operation: Operation, answer: RawAnswer, twist: Twist | undefined): string | undefined {
    const { description, inexact = [] } = this.subject;
    const complaint = complaintAbout(answer, { description, operation, twisted: twist !== undefined });
    if (complaint !== undefined || twist || inexact.includes(operation.name)) return complaint;
    return OF_THE_REQUEST.includes(answer.status) ? 'refused, though the document allows it' : undefined;
  }
}
