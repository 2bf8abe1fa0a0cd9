import { isSecretName } from '@batuta/masking';
import { StepError } from '../../step-error';
import type { RestRequest } from './rest-request';

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 20;
/** Headers that describe a body; a repetition as GET has none. */
const BODY_HEADERS = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-location',
]);

type RequestParts = Pick<RestRequest, 'method' | 'url' | 'headers' | 'body'>;

/** The answer of the last address, with the names of the headers that it did not get because it belongs to another origin. */
interface FollowedResponse {
  response: Response;
  withheldHeaders: string[];
}

/**
 * Calls and follows redirects by the rules of fetch. They are followed here, because fetch would send a secret in a header such as
 * X-Api-Key to whatever origin an answer names. Throws StepError for a redirect that cannot be followed.
 */
export async function fetchFollowing(
  request: RestRequest,
  signal: AbortSignal,
  fetcher: typeof fetch,
): Promise<FollowedResponse> {
  const withheldHeaders: string[] = [];
  let next: RequestParts = request;
  for (let redirects = 0; ; redirects += 1) {
    const { method, url, headers, body } = next;
    const init = { method, headers, ...(body !== undefined && { body }), signal };
    const response = await fetcher(url, { ...init, redirect: 'manual' });
    const location = REDIRECT_STATUSES.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return { response, withheldHeaders };
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS)
      throw new StepError(`${request.name} failed: redirected more than ${redirects} times`);
    const target = targetOf(location, url, request.name);
    const withheld = target.origin === url.origin ? [] : Object.keys(headers).filter(isSecretIn(request));
    withheldHeaders.push(...withheld);
    next = redirectedRequest(next, response.status, target, withheld);
  }
}

function isSecretIn({ secretHeaders }: RestRequest): (name: string) => boolean {
  return (name) => name === 'host' || secretHeaders.has(name) || isSecretName(name);
}

function targetOf(location: string, from: URL, name: string): URL {
  // fetch reads headers as Latin-1, but some servers write UTF-8.
  const text = Buffer.from(location, 'latin1').toString();
  const target = URL.canParse(text, from.href) ? new URL(text, from) : undefined;
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') {
    throw new StepError(`${name} failed: redirected to something that is not an http or https address`);
  }
  if (target.username !== '' || target.password !== '') {
    throw new StepError(`${name} failed: redirected to an address with a user or a password`);
  }
  return target;
}

function redirectedRequest(
  { method, headers, body }: RequestParts,
  status: number,
  target: URL,
  withheld: string[],
): RequestParts {
  const becomesGet = status === 303 ? method !== 'HEAD' : status <= 302 && method === 'POST';
  const isKept = ([name]: [string, string]) => !withheld.includes(name) && !(becomesGet && BODY_HEADERS.has(name));
  return {
    method: becomesGet ? 'GET' : method,
    url: target,
    headers: Object.fromEntries(Object.entries(headers).filter(isKept)),
    ...(body !== undefined && !becomesGet && { body }),
  };
}
