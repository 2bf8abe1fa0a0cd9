import { TextDecoder } from 'node:util';
import type { RunFile } from '../../flow/files/run-files';

/** What a step makes of the body of an answer: a value, a file, or both. */
export interface AnswerBody {
  /** Parsed if it is JSON, else text; null if it is empty or no text. */
  body: unknown;
  file?: RunFile;
}

const TEXT_TYPE =
  /^(?:text\/|application\/(?:json|xml|javascript|x-ndjson|x-www-form-urlencoded|yaml|graphql)(?:$|[;\s])|[^;]+\+(?:json|xml)(?:$|[;\s]))/i;
const MAX_NAME = 150;

/**
 * An answer of a type that is neither text nor JSON, or any answer of a `download`, is a file (contract 2.12). Bytes of such a
 * type that are valid UTF-8 are also the body, because some services send text without its type.
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

function utf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The name that the answer gives, else the last part of its address; without folders and special characters. */
function fileName(headers: Headers, url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const given = nameIn(headers.get('content-disposition') ?? '') ?? percentDecoded(last);
  const plain = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  return (
    plain
      .replaceAll(/[\p{C}"*:<>?|{}]/gu, '_')
      .replace(/^\.+/, '')
      .slice(-MAX_NAME)
      .trim() || 'file'
  );
}

function nameIn(disposition: string): string | undefined {
  const encoded = /filename\*=utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) return percentDecoded(encoded);
  const [, quoted, token] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(disposition) ?? [];
  const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? token;
  // Headers are read as Latin-1; many services write UTF-8.
  return name === undefined ? undefined : (utf8(Buffer.from(name, 'latin1')) ?? name);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
