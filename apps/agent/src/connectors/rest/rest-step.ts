import { backoffMilliseconds } from '@batuta/async';
import { renderBody, renderText, type RestStep, type Variables } from '@batuta/flow';
import type { Effects } from '../../flow/effects';
import type { Journal } from '../../flow/journal';
import { callOnce, TransientError, type RestRequest, type RestResult } from './rest-call';
import { StepError } from '../../flow/step-error';

const DEFAULT_TIMEOUT_SECONDS = 30;
const BACKOFF = { first: 500, longest: 30_000 };
const MAX_SHOWN_BODY = 200;

/** Headers by which the called service can trace and deduplicate a call. */
export interface CallIdentity {
  requestID: string;
  /** Equal for all attempts of one execution of the step; different when a loop returns to the step. */
  idempotencyKey: string;
}

/**
 * Calls a REST address and retries after no answer, 429 or 5xx, as often as the step allows. The answer of the last
 * attempt is the result, whatever its status.
 */
export async function callRest(
  step: RestStep,
  request: RestRequest,
  effects: Effects,
  journal: Journal,
): Promise<RestResult> {
  const attempts = 1 + (step.retries ?? 0);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await callOnce(request, effects.control.signal, effects.fetch);
      if (attempt < attempts && isTransient(result.status)) throw transientError(request, result);
      return result;
    } catch (error) {
      if (!(error instanceof TransientError) || attempt >= attempts || effects.control.stopped) throw error;
      const seconds = backoffSeconds(attempt, error.retryAfterSeconds, effects.random());
      await journal.warning(`${error.message}; attempt ${attempt + 1} of ${attempts} in ${seconds.toFixed(1)} s`);
      await effects.sleep(seconds * 1000, effects.control.signal);
    }
  }
}

/** The failure of a step whose call was answered with status 400 or above. */
export function answerError({ method, url }: RestRequest, { status, body }: RestResult): StepError {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  return new StepError(`${method} ${url} answered ${status}: ${text.slice(0, MAX_SHOWN_BODY)}`, status, true);
}

/** Fills in the fields of the step: Moeda with a dot decimal (contract 2.6), `{vault.KEY}` allowed. */
export function restRequestOf(step: RestStep, variables: Variables, identity: CallIdentity): RestRequest {
  const text = (field: string) => renderText(field, variables, 'machine');
  const body = step.body === undefined || step.body === null ? undefined : renderBody(step.body, variables);
  const own = Object.entries(step.headers ?? {}).map(([name, value]) => [name.toLowerCase(), text(value)] as const);
  const headers = {
    'user-agent': 'batuta-agent',
    'x-request-id': identity.requestID,
    ...(step.method !== 'GET' && step.method !== 'HEAD' && { 'idempotency-key': identity.idempotencyKey }),
    ...(body !== undefined && body !== '' && { 'content-type': contentType(step, body) }),
    ...Object.fromEntries(own),
  };
  const timeoutSeconds = step.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const request = { method: step.method, url: text(step.url), headers, timeoutSeconds };
  if (body === undefined || body === '') return request;
  if (step.method === 'GET' || step.method === 'HEAD') throw new StepError(`a ${step.method} call cannot have a body`);
  return { ...request, body };
}

function contentType(step: RestStep, body: string): string {
  if (typeof step.body !== 'string') return 'application/json';
  try {
    JSON.parse(body);
    return 'application/json';
  } catch {
    return 'text/plain; charset=utf-8';
  }
}

function isTransient(status: number): boolean {
  return status === 429 || status >= 500;
}

function transientError(request: RestRequest, { status, headers }: RestResult): TransientError {
  const after = Number(headers['retry-after']);
  return new TransientError(
    `${request.method} ${request.url} answered ${status}`,
    status,
    Number.isFinite(after) && after >= 0 ? after : undefined,
  );
}

function backoffSeconds(attempt: number, retryAfter: number | undefined, random: number): number {
  const seconds = Math.max(backoffMilliseconds(attempt, BACKOFF, random) / 1000, retryAfter ?? 0);
  return Math.min(BACKOFF.longest / 1000, seconds);
}
