import { ApiError } from '@batuta/errors';
import { declaredCharset, parseJsonText, problemOfText } from '@batuta/json';
import { isUtf8 } from 'node:buffer';

export interface RawPayload {
  body: Buffer;
  /** The Content-Type header, whose charset is used; its media type only makes a message clearer. */
  contentType?: string | undefined;
}

type Charset = 'utf-8' | 'iso-8859-1';

/** The IANA names of the two accepted charsets. */
const CHARSETS = new Map<string, Charset>([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['iso-8859-1', 'iso-8859-1'],
  ['iso_8859-1', 'iso-8859-1'],
  ['iso8859-1', 'iso-8859-1'],
  ['latin1', 'iso-8859-1'],
]);

const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;
const FORM_PROBLEM = 'is not valid JSON but a form; let the sender use application/json';
const JSON_BEGINNING = /^\s*[[{"]/;

/**
 * The body of a call as JSON, whatever its media type; an empty body is `{}` (contract 4.17, interpretation 24). Throws
 * UNSUPPORTED_CHARSET or BAD_REQUEST. The messages quote no value of the body, which may contain a Secreto.
 */
export function readPayload(raw: RawPayload): unknown {
  return parsePayload(decodeText(raw), raw.contentType);
}

/** Parses the text of a body; throws BAD_REQUEST for a text that is not JSON or has a refused name (interpretation 62). */
export function parsePayload(text: string, contentType?: string): unknown {
  if (text === '') return {};
  try {
    return parseJsonText(text);
  } catch {
    throw new ApiError('BAD_REQUEST', `body: ${isForm(text, contentType) ? FORM_PROBLEM : problemOfText(text)}`);
  }
}

/** GitHub sends a form unless its webhook is set to JSON. The type alone proves no form, because `curl -d` names it for any body. */
function isForm(text: string, contentType = ''): boolean {
  return FORM_TYPE.test(contentType) && !JSON_BEGINNING.test(text);
}

/** The body as text, without a byte order mark. Throws UNSUPPORTED_CHARSET, or BAD_REQUEST for invalid UTF-8. */
export function decodeText({ body, contentType }: RawPayload): string {
  const charset = charsetOf(contentType);
  const bytes = withoutByteOrderMark(body);
  // Valid UTF-8 is read as UTF-8 even if the header says ISO-8859-1: a wrong declaration is more common than ISO-8859-1 text that
  // happens to be valid UTF-8.
  if (isUtf8(bytes)) return bytes.toString('utf8');
  if (charset === 'iso-8859-1') return bytes.toString('latin1');
  throw new ApiError('BAD_REQUEST', 'body: is not valid UTF-8');
}

function charsetOf(contentType?: string): Charset {
  const charset = CHARSETS.get(declaredCharset(contentType));
  if (charset) return charset;
  throw new ApiError('UNSUPPORTED_CHARSET', 'Content-Type: the charset must be UTF-8 or ISO-8859-1');
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}
