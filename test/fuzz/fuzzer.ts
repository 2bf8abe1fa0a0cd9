import * as fc from 'fast-check';
import type { ApiDescription, ApiOperation } from './openapi-document';
import { sendWithRetry, type RawAnswer } from './raw-http';
import { rawRequestOf, requestsOf, type KnownValues, type RequestParts } from './requests';
import { arbitraryMutations, type Mutation } from './mutations';
import { violationOf, passedValidation } from './answer-check';
import { FuzzReport } from './report';
import type { Secrets } from './secrets';
import { ROUTE_TIME_LIMIT_MS, SEED } from './fuzz-settings';

/** Maximum characters of fast-check's report of a violation, which may quote a body of a megabyte. */
const MAX_REPORT_LENGTH = 5_000;

/** Refusals of the request itself, which a request that the document allows must not get. */
const INVALID_REQUEST_STATUSES = [400, 401, 413, 415];

export interface FuzzTarget {
  url: string;
  description: ApiDescription;
  /** Requests to each route, without those that reduce a violation to its smallest request. */
  runs: number;
  /** Known values and credentials for the requests to one route. */
  inputsFor: (operation: ApiOperation) => { known: KnownValues; credentials: [name: string, value: string][] };
  /** Routes that also validate stored data; all others must accept every request that the document allows. */
  routesWithStoredData?: string[];
  /** Names of mutations that would destroy the data which the test needs. */
  excludedMutations?: string[];
  /** The values that no answer may contain. */
  secrets: Secrets;
  /** The kinds of secrets that responses of this service show by design. */
  shownSecretKinds?: string[];
  report: FuzzReport;
}

/** Sends requests that the document allows, of which it mutates one in three. */
export class Fuzzer {
  constructor(private readonly target: FuzzTarget) {}

  /** The first violation of a route with the smallest request that shows it; undefined when none is found within the time limit of a route. */
  findViolation(operation: ApiOperation): Promise<string | undefined> {
    return findFirstViolation(this.inputsOf(operation), this.target.runs, async ([parts, mutation]) => {
      const answer = await this.ask(operation, mutation ? mutation.apply(parts) : parts);
      const violation = this.violation(operation, answer, mutation);
      if (violation === undefined) return undefined;
      const { status, body } = answer;
      return `${violation}\nto ${mutation?.name ?? 'a plain request'}: ${status} ${body.slice(0, 500)}`;
    });
  }

  private inputsOf(operation: ApiOperation): fc.Arbitrary<[RequestParts, Mutation | undefined]> {
    const { inputsFor, excludedMutations = [] } = this.target;
    const { known, credentials } = inputsFor(operation);
    const mutated = arbitraryMutations().filter(({ name }) => !excludedMutations.includes(name));
    const mutation = fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: mutated });
    return fc.tuple(requestsOf(operation, known, credentials), mutation);
  }

  private async ask({ name }: ApiOperation, parts: RequestParts): Promise<RawAnswer> {
    const answer = await sendWithRetry(this.target.url, rawRequestOf(parts));
    this.target.report.count(name, answer.status, passedValidation(answer));
    return answer;
  }

  private violation(operation: ApiOperation, answer: RawAnswer, mutation: Mutation | undefined): string | undefined {
    const { description, routesWithStoredData = [], secrets, shownSecretKinds } = this.target;
    const leak = secrets.leakIn(`${JSON.stringify(answer.headers)}${answer.body}`, shownSecretKinds);
    if (leak !== undefined) return `the answer shows ${leak}`;
    const violation = violationOf(answer, { description, operation, mutated: mutation !== undefined });
    if (violation !== undefined || mutation || routesWithStoredData.includes(operation.name)) return violation;
    return INVALID_REQUEST_STATUSES.includes(answer.status) ? 'refused, though the document allows it' : undefined;
  }
}

/**
 * Checks the property for `numRuns` inputs, or as many as ROUTE_TIME_LIMIT_MS allows. Returns the first violation with the smallest input that
 * shows it; undefined without a violation.
 */
export async function findFirstViolation<Input>(
  inputs: fc.Arbitrary<Input>,
  numRuns: number,
  property: (input: Input) => Promise<string | undefined>,
): Promise<string | undefined> {
  const asserted = fc.asyncProperty(inputs, async (input) => {
    const violation = await property(input);
    if (violation !== undefined) throw new Error(violation);
  });
  const bounds = { interruptAfterTimeLimit: ROUTE_TIME_LIMIT_MS, markInterruptAsFailure: false };
  const details = await fc.check(asserted, { seed: SEED, numRuns, ...bounds });
  if (!details.failed) return undefined;
  return `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)?.slice(0, MAX_REPORT_LENGTH)}`;
}
