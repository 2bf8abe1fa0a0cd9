import type {
  DryRun,
  Execution,
  History,
  InstanceEnded,
  MatrixVariable,
  operations,
  Process,
  Queued,
  Started,
} from './generated/api';
import { BatutaError, BatutaUnreachable, UnsendableCall } from './error';
import { answerTo, requireHeaderText, type TypedHttp } from './http';
import { InstanceClient } from './instance';
import { requireTimeLimit, retry, type RetryOptions } from './retry';

export type StartBody = NonNullable<operations['start.start']['requestBody']>['content']['application/json'];
export type HistoryQuery = NonNullable<operations['processes.executions']['parameters']['query']>;

export interface StartOptions extends Partial<RetryOptions> {
  /**
   * All starts of the process by the account with the same key within 24 hours start one instance, even when different programs call. Default: a
   * new key for each call.
   */
  idempotencyKey?: string;
}

/** `mismatch`: an earlier start had the same idempotency key and another body. This is the answer to that start; the body of this call was ignored. */
export type AcceptedStart = (Started | Queued) & { mismatch?: true };

export interface WaitOptions extends RetryOptions {
  /** As in `StartOptions`. */
  idempotencyKey?: string;
}

/** The end of an instance, with the `mismatch` of its start. */
export type AwaitedEnd = InstanceEnded & Pick<AcceptedStart, 'mismatch'>;

/** Other texts are no value of a header; spaces at the ends of a value are not sent, so that two keys would be one. */
const IDEMPOTENCY_KEY_PATTERN = /^(?! )[\x20-\x7e]{1,255}(?<! )$/;
const START_TIMEOUT_MS = 60_000;
const DEFAULT_EXECUTIONS = 50;
const MAX_PAGE_EXECUTIONS = 500;

/** A client of one process, with one of its process keys. */
export class ProcessClient {
  private readonly init;

  constructor(
    private readonly http: TypedHttp,
    readonly processID: string,
    processKey: string,
  ) {
    requireHeaderText('processKey', processKey);
    this.init = { params: { path: { pid: processID } }, headers: { 'X-Process-Key': processKey } };
  }

  detail(): Promise<Process> {
    return answerTo(this.http.GET('/v1/processes/{pid}', this.init));
  }

  async matrix(): Promise<MatrixVariable[]> {
    return (await answerTo(this.http.GET('/v1/processes/{pid}/matrix', this.init))).matrix;
  }

  /**
   * At most `limit` ended executions (default: 50), newest first, of the last 30 days unless `from` and `to` name others. Those that do not fit
   * into one answer are read page by page.
   */
  async executions(query: HistoryQuery = {}): Promise<Execution[]> {
    const { limit = DEFAULT_EXECUTIONS } = query;
    const executions: Execution[] = [];
    let next: HistoryQuery | undefined = {};
    do {
      const pageQuery = { ...query, ...next, limit: Math.min(limit - executions.length, MAX_PAGE_EXECUTIONS) };
      const page: History = await this.executionPage(pageQuery);
      executions.push(...page.executions);
      next = page.older;
    } while (next && executions.length < limit);
    return executions;
  }

  /** One answer of at most 500 executions, with the query for those before them in `older`. */
  executionPage(query: HistoryQuery = {}): Promise<History> {
    const { params, headers } = this.init;
    return answerTo(this.http.GET('/v1/processes/{pid}/executions', { headers, params: { ...params, query } }));
  }

  /**
   * Starts one instance. A call that failed without a final answer is repeated with the same Idempotency-Key, by default for up to a minute. When
   * `signal` aborts, its reason is thrown. Throws BatutaError when the start is refused or the last attempt was answered with an error,
   * BatutaUnreachable when the last attempt had no answer of the API, and UnsendableCall when it cannot be sent.
   */
  async start(
    body: StartBody = {},
    { idempotencyKey = crypto.randomUUID(), within = START_TIMEOUT_MS, signal }: StartOptions = {},
  ): Promise<AcceptedStart> {
    if (!IDEMPOTENCY_KEY_PATTERN.test(idempotencyKey))
      throw new UnsendableCall(
        'idempotencyKey: must be 1 to 255 printable ASCII characters, without a space at either end',
      );
    const { params, headers } = this.init;
    const init = { params, headers: { ...headers, 'Idempotency-Key': idempotencyKey }, body, signal };
    const attempt = async (): Promise<AcceptedStart> => {
      const call = this.http.POST('/v1/processes/{pid}/start', init);
      const accepted = acceptedBodyOf(await answerTo(call));
      const { response } = await call;
      return response.headers.has('Idempotency-Mismatch') ? { ...accepted, mismatch: true } : accepted;
    };
    return retry(attempt, { within, signal });
  }

  /**
   * Starts one instance and awaits its end. Throws StillInProgress after `within` milliseconds; the instance continues. A BatutaError or
   * BatutaUnreachable after the start has been accepted has the `instanceID`. Throws UnsendableCall, and starts nothing, without a valid `within`.
   */
  async startAndWait(body: StartBody, { idempotencyKey, within, signal }: WaitOptions): Promise<AwaitedEnd> {
    // Refused before the start, because afterwards the caller would not learn the instance.
    requireTimeLimit(within);
    const deadline = Date.now() + within;
    const { instanceID, mismatch } = await this.start(body, { idempotencyKey, within, signal });
    const instance = new InstanceClient(this.http, instanceID);
    const ended = await instance.ended({ within: deadline - Date.now(), signal }).catch((error: unknown) => {
      if (error instanceof BatutaError || error instanceof BatutaUnreachable) error.instanceID = instanceID;
      throw error;
    });
    return mismatch ? { ...ended, mismatch } : ended;
  }

  /** The result that a start would have, and every error that would refuse it. Starts nothing. */
  async dryRun(body: StartBody = {}): Promise<DryRun> {
    const { params, headers } = this.init;
    const init = { headers, params: { ...params, query: { dryRun: true } }, body };
    const found = await answerTo(this.http.POST('/v1/processes/{pid}/start', init));
    if ('refusals' in found) return found;
    throw new Error('The API is too old for dry runs: it has started the process.');
  }
}

function acceptedBodyOf(answer: Started | Queued | DryRun): Started | Queued {
  if ('instanceID' in answer) return answer;
  throw new Error('A start was answered as if it were a dry run.');
}
