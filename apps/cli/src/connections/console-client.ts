import { requireHeaderText, UNCOMPRESSED } from '@batuta/client';
import type { paths } from '@batuta/client/console-types';
import type { ConsoleClient } from '@batuta/process-files';
import createClient from 'openapi-fetch';
import { CLI_VERSION } from '../version';

interface ConsoleConnection {
  url: string;
  token?: string;
  fetch: (request: Request) => Promise<Response>;
}

/** Throws UnsendableCall for a token that no header can carry. */
export function createConsoleClient({ url, token, fetch }: ConsoleConnection): ConsoleClient {
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  requireHeaderText('token', authorization ?? '');
  return createClient<paths, 'application/json'>({
    baseUrl: url,
    headers: {
      ...UNCOMPRESSED,
      'user-agent': `batuta-cli/${CLI_VERSION}`,
      ...(authorization === undefined ? {} : { authorization }),
    },
    // A redirect could send a password or token to another server.
    redirect: 'manual',
    fetch,
  });
}
