import { ApiError } from '@batuta/errors';
import { declaredCharset, parseJsonText, problemOfText } from '@batuta/json';
import type { IncomingHttpHeaders } from 'node:http';

const UTF8_DECODER = new TextDecoder('utf-8', { fatal: true });

/** Throws UNSUPPORTED_CHARSET when the Content-Type declares a charset other than UTF-8; no charset means UTF-8. */
export function requireUtf8(headers: IncomingHttpHeaders): void {
  const charset = declaredCharset(headers['content-type']);
  if (charset !== 'utf-8' && charset !== 'utf8') {
    throw new ApiError('UNSUPPORTED_CHARSET', 'Content-Type: the charset must be UTF-8');
  }
}

/**
 * Parses JSON in UTF-8, with or without a byte order mark. Throws BAD_REQUEST for other bytes and for a refused name, with a message that quotes no
 * value, because a body may contain a Secreto. A number that no double holds becomes Infinity or -Infinity.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  try {
    return parseJsonText(text);
  } catch {
    throw new ApiError('BAD_REQUEST', `body: ${problemOfText(text)}`);
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8_DECODER.decode(bytes);
  } catch {
    throw new ApiError('BAD_REQUEST', 'body: is not valid UTF-8');
  }
}
