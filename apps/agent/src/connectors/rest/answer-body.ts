import { isTooDeep, parseJsonText, pathToUnrepresentableNumber } from '@batuta/matrix';
import { TextDecoder } from 'node:util';
import { plainFileName } from '../../execution/files/file-name';
import type { ExecutionFile } from '../../execution/files/execution-files';

/** What a REST step keeps of the body of an answer: a value, a file, or both. */
export interface AnswerBody {
  /**
   * The parsed JSON, or else the text, also of JSON with a number that no double holds, which a later step would send as null; null if the answer
   * is empty, is no text or is a download.
   */
  body: unknown;
  file?: ExecutionFile;
}

const TEXT_TYPE =
  /^(?:text\/|application\/(?:json|xml|javascript|x-ndjson|x-www-form-urlencoded|yaml|graphql)(?:$|[;\s])|[^;]+\+(?:json|xml)(?:$|[;\s]))/i;

/** The declaration at the beginning of an XML document. */
const XML_ENCODING = /^<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]+)/i;
const MAX_DECLARATION_BYTES = 200;

/** JSON of more levels stays text: a later JSON.stringify of many thousand levels would overflow the stack. */
const MAX_JSON_LEVELS = 1_000;

/**
 * Reads the body of an answer. A `download` is always a file (contract 2.12). Without `download`, text, JSON and an
 * answer without a type are a body. Any other type is a file, and also the body if its bytes are valid UTF-8, because
 * some services send text under a wrong type.
 */
export function readAnswerBody(bytes: Buffer, headers: Headers, url: string, download: boolean): AnswerBody {
  const contentType = headers.get('content-type') ?? '';
  const file = () => ({ name: fileName(headers, url), contentType: contentType || 'application/octet-stream', bytes });
  if (download) return { body: null, file: file() };
  if (bytes.length === 0) return { body: null };
  if (contentType === '' || TEXT_TYPE.test(contentType)) return { body: readText(bytes, contentType) };
  return { body: utf8(bytes), file: file() };
}

function readText(bytes: Buffer, contentType: string): unknown {
  const text = decoderFor(charsetOf(contentType, bytes)).decode(bytes);
  if (!isJson(contentType)) return text;
  try {
    const value = parseJsonText(text);
    return isTooDeep(value, MAX_JSON_LEVELS) || pathToUnrepresentableNumber(value) ? text : value;
  } catch {
    return text;
  }
}

function isJson(contentType: string): boolean {
  return /[/+]json\b/i.test(contentType);
}

/**
 * The charset that the type of the answer names. Without one UTF-8, and for bytes that are not valid UTF-8 what an XML document declares, or
 * windows-1252, in which older systems send text such as CSV: read as UTF-8 it would lose its accented letters without an error. JSON is
 * always UTF-8 (RFC 8259): one wrong byte in it must not change all other letters.
 */
function charsetOf(contentType: string, bytes: Buffer): string {
  const [, named] = /charset="?([\w.:-]+)/i.exec(contentType) ?? [];
  if (named !== undefined || isJson(contentType) || utf8(bytes) !== null) return named ?? 'utf-8';
  return XML_ENCODING.exec(bytes.toString('latin1', 0, MAX_DECLARATION_BYTES))?.[1] ?? 'windows-1252';
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('utf-8');
  }
}

function utf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The file name that the answer's header gives, or else the last part of the address. */
function fileName(headers: Headers, url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  return plainFileName(fileNameIn(headers.get('content-disposition') ?? '') ?? percentDecoded(last));
}

function fileNameIn(disposition: string): string | undefined {
  const encoded = /filename\*=utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) return percentDecoded(encoded);
  const [, quoted, token] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(disposition) ?? [];
  const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? token;
  // Node reads headers as Latin-1, but many services write UTF-8: the bytes are decoded again.
  return name === undefined ? undefined : (utf8(Buffer.from(name, 'latin1')) ?? name);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
