import { TextDecoder } from 'node:util';
import { isNativeError } from 'node:util/types';
import { StepError } from './step-error';

export interface RestRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  timeoutSeconds: number;
}

/** What a REST step delivers into its automatic variable. */
export interface RestResult {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Parsed when it is JSON, else text; null when there is none. */
  body: unknown;
}

/** A call that may be tried again: nothing was answered, or the other side says it is not its fault. */
export class TransientError extends StepError {
  constructor(
    message: string,
    status: number | null = null,
    readonly retryAfterSeconds?: number,
  ) {
    super(message, status);
  }
}

export const MOST_RESPONSE_BYTES = 5 * 1024 * 1024;

/** One attempt. Answers of any status are results; StepError and TransientError say why there is none. */
export async function callOnce(request: RestRequest, signal: AbortSignal, fetcher: typeof fetch): Promise<RestResult> {
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
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: readBody(bytes, response.headers.get('content-type') ?? ''),
    };
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
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > MOST_RESPONSE_BYTES) {
      throw new StepError(`${target} answered with more than ${MOST_RESPONSE_BYTES} bytes`, response.status);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function readBody(bytes: Buffer, contentType: string): unknown {
  if (bytes.length === 0) return null;
  const text = decoderFor(contentType).decode(bytes);
  if (!/[/+]json\b/i.test(contentType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function decoderFor(contentType: string): TextDecoder {
  const charset = /charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('utf-8');
  }
}

/** fetch says "fetch failed" and keeps the reason in `cause`; an error without one is a wrong request. */
function failedCall(target: string, error: unknown): StepError {
  if (!isNativeError(error)) return new TransientError(`${target} failed`);
  const { cause } = error;
  if (cause === undefined) return new StepError(`${target}: ${error.message}`);
  if (!isNativeError(cause)) return new TransientError(`${target} failed: ${error.message}`);
  // Node joins the attempts at several addresses in an error without a message but with a code.
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : error.message;
  return new TransientError(`${target} failed: ${cause.message || code}`);
}
