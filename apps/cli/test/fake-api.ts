import type { IncomingHttpHeaders } from 'node:http';
import { startWebServer } from '../../../test/support/web-server';

export interface FakeAnswer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface FakeCall {
  /** Method and path without the query, such as `GET /manage/v1/me`. */
  line: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface FakeAPI {
  url: string;
  calls: FakeCall[];
  /** The queries of the calls that have one. */
  queries: string[];
  /** The answers of a route in order; the last one is repeated. */
  answers: Map<string, FakeAnswer[]>;
  close(): Promise<void>;
}

/** A refusal in the error envelope of the API, with the request id r-17. */
export const refusalAnswer = (status: number, code: string, headers: Record<string, string> = {}): FakeAnswer => ({
  status,
  body: { error: { code, message: `total: ${code} it is` } },
  headers: { 'x-request-id': 'r-17', ...headers },
});

/**
 * A server that returns the answers of the test for routes such as `GET /manage/v1/me`, and NOT_FOUND for all others.
 */
export async function startFakeAPI(): Promise<FakeAPI> {
  const calls: FakeCall[] = [];
  const queries: string[] = [];
  const answers = new Map<string, FakeAnswer[]>();
  const server = await startWebServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const line = `${request.method} ${request.url?.replace(/\?.*/, '')}`;
      const query = request.url?.split('?')[1];
      if (query !== undefined) queries.push(query);
      calls.push({ line, headers: request.headers, body: Buffer.concat(parts).toString() });
      const planned = answers.get(line) ?? [refusalAnswer(404, 'NOT_FOUND')];
      const {
        status = 200,
        body = { ok: true },
        headers = {},
      } = (planned.length > 1 ? planned.shift() : planned[0]) ?? {};
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  return { url: server.url, calls, queries, answers, close: server.stop };
}
