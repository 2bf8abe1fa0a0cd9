import { MAX_FILE_BYTES, type ExecutionFile } from '../../execution/files/execution-files';
import { StepError } from '../../step-error';
import { faultOf } from '../fault';
import { TransientError } from '../retries';
import { readAnswerBody } from './answer-body';
import { fetchFollowing } from './redirects';
import type { RestRequest } from './rest-request';

/** The value of a REST step's automatic variable. */
export interface RestResult {
  status: number;
  /** The headers of the response, with names in lower case; several with one name are joined by commas. */
  headers: Record<string, string>;
  /** The parsed JSON, or else the text; null if the answer is empty, is no text or is a download. */
  body: unknown;
}

export interface RestAnswer {
  result: RestResult;
  file?: ExecutionFile | undefined;
  /** The headers of the step that the last address did not get, because a redirect led to another origin. */
  withheldHeaders: string[];
}

/**
 * Makes one attempt; an answer of any status is a result. Throws TransientError for a fault that may pass, and
 * StepError for an answer that is too large or a fault that a retry would not mend.
 */
export async function callOnce(request: RestRequest, signal: AbortSignal, fetcher: typeof fetch): Promise<RestAnswer> {
  const deadline = AbortSignal.timeout(request.timeoutSeconds * 1000);
  try {
    const { response, withheldHeaders } = await fetchFollowing(request, AbortSignal.any([signal, deadline]), fetcher);
    const bytes = await readBounded(response, request.name);
    const download = request.download && response.status < 400;
    const { body, file } = readAnswerBody(bytes, response.headers, response.url || request.url.href, download);
    return { result: { status: response.status, headers: headersOf(response.headers), body }, file, withheldHeaders };
  } catch (error) {
    if (error instanceof StepError) throw error;
    if (deadline.aborted) throw new TransientError(`${request.name} did not answer within ${request.timeoutSeconds} s`);
    const { reason, isTemporary } = faultOf(error);
    const message = `${request.name} failed: ${reason}`;
    throw isTemporary ? new TransientError(message) : new StepError(message);
  }
}

/** The entries of `Headers` have each Set-Cookie by itself, of which an object would keep the last one only. */
function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers.keys()].map((name) => [name, headers.get(name) ?? '']));
}

async function readBounded(response: Response, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_FILE_BYTES) {
      throw new StepError(`${name} answered with more than ${MAX_FILE_BYTES} bytes`, response.status);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
