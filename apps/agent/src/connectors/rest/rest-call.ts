import { isNativeError } from 'node:util/types';
import { MAX_FILE_BYTES, type ExecutionFile } from '../../execution/files/execution-files';
import { StepError } from '../../step-error';
import { TransientError } from '../retries';
import { readAnswerBody } from './answer-body';
import type { RequestBody } from './request-body';

export interface RestRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: RequestBody['body'];
  timeoutSeconds: number;
  /** Whether the body of a successful answer becomes a file, whatever its type. */
  download: boolean;
}

/** The value of a REST step's automatic variable. */
export interface RestResult {
  status: number;
  /** The headers of the response, with names in lower case. */
  headers: Record<string, string>;
  /** The parsed JSON, or else the text; null if the answer is empty or is no text. */
  body: unknown;
}

export interface RestAnswer {
  result: RestResult;
  file?: ExecutionFile | undefined;
}

/**
 * Makes one attempt; an answer of any status is a result. Throws TransientError when no answer came, and StepError for
 * an answer that is too large or a request that a retry would not help.
 */
export async function callOnce(request: RestRequest, signal: AbortSignal, fetcher: typeof fetch): Promise<RestAnswer> {
  const target = `${request.method} ${request.url}`;
  const url = readURL(request.url);
  const deadline = AbortSignal.timeout(request.timeoutSeconds * 1000);
  try {
    const response = await fetcher(url, {
      method: request.method,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      signal: AbortSignal.any([signal, deadline]),
    });
    const bytes = await readBounded(response, target);
    const download = request.download && response.ok;
    const { body, file } = readAnswerBody(bytes, response.headers, response.url || request.url, download);
    return { result: { status: response.status, headers: Object.fromEntries(response.headers), body }, file };
  } catch (error) {
    if (error instanceof StepError) throw error;
    if (deadline.aborted) throw new TransientError(`${target} did not answer within ${request.timeoutSeconds} s`);
    throw failedCall(target, error);
  }
}

function readURL(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new StepError(`"${text}" is not an address`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new StepError(`"${text}" is not an http or https address`);
  }
  return url;
}

async function readBounded(response: Response, target: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_FILE_BYTES) {
      throw new StepError(`${target} answered with more than ${MAX_FILE_BYTES} bytes`, response.status);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The message of a fetch error is only "fetch failed"; its reason is in `cause`. An error without a cause is an invalid
 * request.
 */
function failedCall(target: string, error: unknown): StepError {
  if (!isNativeError(error)) return new TransientError(`${target} failed`);
  const { cause } = error;
  if (cause === undefined) return new StepError(`${target}: ${error.message}`);
  if (!isNativeError(cause)) return new TransientError(`${target} failed: ${error.message}`);
  // An AggregateError, which joins the failed attempts at several addresses, has a code and no message.
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : error.message;
  return new TransientError(`${target} failed: ${cause.message || code}`);
}
