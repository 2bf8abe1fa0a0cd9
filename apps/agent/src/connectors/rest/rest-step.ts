import { renderText, type RestStep } from '@batuta/flow';
import { retryAfterSeconds, shownProxy } from '@batuta/network';
import type { ExecutionScope } from '../../execution/scope/execution-scope';
import { StepError } from '../../step-error';
import type { HostAccess } from '../../network/host-access';
import type { StepContext } from '../connector';
import { isTemporaryStatus } from '../fault';
import { TransientError, withRetries } from '../retries';
import { requestBodyOf } from './request-body';
import { callOnce, type RestAnswer, type RestResult } from './rest-call';
import type { RestRequest } from './rest-request';

const DEFAULT_TIMEOUT_SECONDS = 30;
const MAX_SHOWN_BODY_LENGTH = 200;
/** The longest wait that an answer may ask for. When an answer asks for a longer one, the call is not repeated, because an attempt before that time would be refused. */
const MAX_RETRY_AFTER_SECONDS = 300;

/** What a call depends on besides its step. The ids are headers by which the called service can trace and deduplicate it. */
export interface CallConditions {
  requestID: string;
  /**
   * The header `Idempotency-Key` of calls other than GET and HEAD. Equal for all attempts of one execution of the step; different when a loop
   * returns to the step.
   */
  idempotencyKey: string;
  hostAccess: Pick<HostAccess, 'proxyFor'>;
}

/**
 * Calls a REST address. Repeats the call after a temporary fault, 429 or 5xx, as often as the step allows, unless the answer asks for a wait
 * that is too long. The last answer is the result, whatever its status; throws StepError if the last call has none.
 */
export function callRest(step: RestStep, request: RestRequest, execution: StepContext): Promise<RestAnswer> {
  const { control, fetch: fetcher } = execution.effects;
  return withRetries(step.retries ?? 0, execution, async (isLast) => {
    const answer = await callOnce(request, control.signal, fetcher);
    const { status, headers } = answer.result;
    if (isLast || !isTemporaryStatus(status)) return answer;
    const seconds = retryAfterSeconds(headers['retry-after'], execution.effects.now());
    if (seconds > MAX_RETRY_AFTER_SECONDS) return answer;
    throw new TransientError(`${request.name} answered ${status}`, status, seconds);
  });
}

/** The failure of a step whose call was answered with status 400 or above. */
export function answerError({ name }: RestRequest, { status, body }: RestResult): StepError {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  return new StepError(`${name} answered ${status}: ${text.slice(0, MAX_SHOWN_BODY_LENGTH)}`, status, true);
}

/** Fills in the fields of the step: Moeda with a dot decimal (contract 2.6), `{vault.KEY}` allowed. */
export function restRequestOf(
  step: RestStep,
  scope: Pick<ExecutionScope, 'fieldView' | 'files'>,
  { requestID, idempotencyKey, hostAccess }: CallConditions,
): RestRequest {
  const variables = scope.fieldView();
  const isRead = step.method === 'GET' || step.method === 'HEAD';
  const sent = requestBodyOf(step, variables, scope.files);
  if (sent && isRead) throw new StepError(`a ${step.method} call cannot have a body`);
  const own = Object.entries(step.headers ?? {}).map(([name, template]) => {
    const view = scope.fieldView();
    const value = renderText(template, view, 'machine');
    checkHeader(name, value);
    return { name: name.toLowerCase(), value, isSecret: view.secrecy === 'derived' };
  });
  if (sent && sent.contentType === undefined && own.some(({ name }) => name === 'content-type')) {
    throw new StepError('headers must not have a content-type beside a multipart form, which needs its own');
  }
  const headers = {
    'user-agent': 'batuta-agent',
    'x-request-id': requestID,
    ...(!isRead && { 'idempotency-key': idempotencyKey }),
    ...(sent?.contentType !== undefined && { 'content-type': sent.contentType }),
    ...Object.fromEntries(own.map(({ name, value }) => [name, value])),
  };
  const address = renderText(step.url, variables, 'machine');
  const url = readURL(address);
  const proxy = hostAccess.proxyFor(url);
  const via = proxy === undefined ? '' : ` through the proxy ${shownProxy(proxy)}`;
  return {
    method: step.method,
    url,
    name: `${step.method} ${address}${via}`,
    headers,
    secretHeaders: new Set(own.filter(({ isSecret }) => isSecret).map(({ name }) => name)),
    ...(sent && { body: sent.body }),
    timeoutSeconds: step.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    download: step.download ?? false,
  };
}

/** The error of fetch for such a header does not say which of the headers it is. */
function checkHeader(name: string, value: string): void {
  if (!canBeHeader(name, '')) throw new StepError(`headers: "${name}" is not the name of a header`);
  if (canBeHeader(name, value)) return;
  throw new StepError(`headers: ${name} must have neither a line break nor a character beyond Latin-1, such as €`);
}

function canBeHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

function readURL(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.username !== '' || url.password !== '')) {
    throw new StepError(`the address of the host ${url.host} has a user or a password: send them in a header`);
  }
  // A user and a password may stand before the last @, also where the address has a mistake and the URL finds none.
  const shown = text.slice(text.lastIndexOf('@') + 1);
  if (!url) throw new StepError(`"${shown}" is not an address`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new StepError(`"${shown}" is not an http or https address`);
  }
  return url;
}
