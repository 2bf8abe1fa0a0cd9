import createClient, { type Client } from 'openapi-fetch';
import { BatutaError, BatutaUnreachable } from './error';
import type { paths } from './generated/api';

export interface Connection {
  /** Where the gateway is, such as `https://api.example.com`. */
  url: string;
  /** `<PREFIX>_live_<id>.<secret>` */
  credential?: string;
  /** Milliseconds that one call may take; 30 seconds unless given. */
  timeout?: number;
  /** In place of the global one, for proxies and tests. */
  fetch?: (request: Request) => Promise<Response>;
}

const TIMEOUT_MILLISECONDS = 30_000;

/** One method per HTTP method, typed by the document: `http.GET('/v1/processes/{pid}', …)`. */
export type Http = Client<paths, 'application/json'>;

export function createHttp({
  url,
  credential,
  timeout = TIMEOUT_MILLISECONDS,
  fetch = globalThis.fetch,
}: Connection): Http {
  return createClient<paths, 'application/json'>({
    baseUrl: url.replace(/\/+$/, ''),
    headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    fetch: (request) => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeout)]);
      return fetch(new Request(request, { signal }));
    },
  });
}

/** What a call was answered with. Throws BatutaError for a refusal, BatutaUnreachable when no answer came. */
export async function answerTo<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<NonNullable<Data>> {
  const { data, error, response } = await call.catch((fault: unknown) => {
    throw new BatutaUnreachable(fault);
  });
  if (!response.ok || data === undefined || data === null) throw BatutaError.of(response, error);
  return data;
}
