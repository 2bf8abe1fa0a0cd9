import type { DryRun, Execution, MatrixVariable, operations, Process, Queued, Started } from './generated/api';
import { answerTo, type Http } from './http';
import { repeated, type Patience } from './retry';

export type StartInput = NonNullable<operations['start.start']['requestBody']>['content']['application/json'];
export type HistoryQuery = NonNullable<operations['processes.executions']['parameters']['query']>;

export interface StartOptions extends Partial<Patience> {
  /** The same key starts once in 24 hours, also from another program; a new one for each call unless given. */
  idempotencyKey?: string;
}

const START_MILLISECONDS = 60_000;

/** One process, called with one of its keys. */
export class ProcessClient {
  private readonly init;

  constructor(
    private readonly http: Http,
    readonly processID: string,
    processKey: string,
  ) {
    this.init = { params: { path: { pid: processID } }, headers: { 'X-Process-Key': processKey } };
  }

  detail(): Promise<Process> {
    return answerTo(this.http.GET('/v1/processes/{pid}', this.init));
  }

  async matrix(): Promise<MatrixVariable[]> {
    return (await answerTo(this.http.GET('/v1/processes/{pid}/matrix', this.init))).matrix;
  }

  /** Ended executions, newest first. */
  async executions(query: HistoryQuery = {}): Promise<Execution[]> {
    const { params, headers } = this.init;
    const init = { headers, params: { ...params, query } };
    return (await answerTo(this.http.GET('/v1/processes/{pid}/executions', init))).executions;
  }

  /**
   * Starts once, however often it has to ask: a call that failed on its way is repeated with the same Idempotency-Key,
   * within a minute unless told. Throws BatutaError when the start is refused.
   */
  start(
    body: StartInput = {},
    { idempotencyKey = crypto.randomUUID(), within = START_MILLISECONDS, signal }: StartOptions = {},
  ): Promise<Started | Queued> {
    const { params, headers } = this.init;
    const init = { params, headers: { ...headers, 'Idempotency-Key': idempotencyKey }, body, signal };
    return repeated(async () => accepted(await answerTo(this.http.POST('/v1/processes/{pid}/start', init))), {
      within,
      signal,
    });
  }

  /** What a start would do, and what would refuse it. */
  async dryRun(body: StartInput = {}): Promise<DryRun> {
    const { params, headers } = this.init;
    const init = { headers, params: { ...params, query: { dryRun: true } }, body };
    const found = await answerTo(this.http.POST('/v1/processes/{pid}/start', init));
    if ('refusals' in found) return found;
    throw new Error('The API is too old for dry runs: it has started the process.');
  }
}

function accepted(answer: Started | Queued | DryRun): Started | Queued {
  if ('instanceID' in answer) return answer;
  throw new Error('A start was answered as if it were a dry run.');
}
