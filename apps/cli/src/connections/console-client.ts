import type { paths } from '@batuta/client/console-types';
import createClient, { type Client } from 'openapi-fetch';
import { CLI_VERSION } from '../version';

/** One method per HTTP method, typed by the OpenAPI document of the management API. */
export type ConsoleClient = Client<paths, 'application/json'>;

interface ConsoleConnection {
  url: string;
  token?: string;
  fetch: (request: Request) => Promise<Response>;
}

export function createConsoleClient({ url, token, fetch }: ConsoleConnection): ConsoleClient {
  return createClient<paths, 'application/json'>({
    baseUrl: url,
    headers: {
      'user-agent': `batuta-cli/${CLI_VERSION}`,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    // A redirect could send a password or token to another server.
    redirect: 'error',
    fetch,
  });
}
