import type { RequestBody } from './request-body';

export interface RestRequest {
  method: string;
  url: URL;
  /** The call in messages: the method, the address, and the proxy on the way to it. */
  name: string;
  /** By name in lower case. */
  headers: Record<string, string>;
  /** The names of the headers with a sensitive value, such as one of the vault. */
  secretHeaders: ReadonlySet<string>;
  body?: RequestBody['body'];
  /** Time limit of one attempt, from its first request to the end of the last answer; redirects are included. */
  timeoutSeconds: number;
  /** Whether the body of an answer below 400 becomes a file, whatever its type. */
  download: boolean;
}
