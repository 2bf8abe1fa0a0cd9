import { wellFormed } from './well-formed';

/** Shorter texts would hide half of every message; they are hidden only where the variable itself is shown. */
const SHORTEST = 3;
const SHORTEST_LINE = 8;
const SHORTEST_BASE64 = 6;

/**
 * Every form in which a sensitive text may come up again: as it is, a long text line by line, in an address or a form,
 * each of these in JSON, in HTML, in hexadecimal, in base64 at any offset of a longer text (`user:password`).
 */
export function formsOf(text: string): string[] {
  if (text.length < SHORTEST) return [];
  const bytes = Buffer.from(text, 'utf8');
  const lines = text.split(/\r?\n/);
  const plain = [
    text,
    text.trim(),
    ...addressForms(wellFormed(text)),
    ...(lines.length > 1 ? lines.filter((line) => line.length >= SHORTEST_LINE) : []),
  ];
  const forms = [
    ...plain.flatMap(jsonForms),
    ...htmlForms(text),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST);
}

/** As programs encode a piece of an address, and as addresses encode themselves: only what their part must not hold. */
function addressForms(text: string): string[] {
  const encoded = encodeURIComponent(text);
  const url = new URL('http://host/');
  url.search = text;
  url.pathname = `/${text}`;
  url.username = text;
  return [
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    new URLSearchParams([['', text]]).toString().slice(1),
    url.search.slice(1),
    url.pathname.slice(1),
    url.username,
  ];
}

/** In a JSON string, in JSON within JSON, and as writers do it that escape all but ASCII, or slashes. */
function jsonForms(text: string): string[] {
  const once = escaped(text);
  const ascii = once.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [text, once, escaped(once), ascii, ascii.replaceAll('/', '\\/')];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function htmlForms(text: string): string[] {
  const half = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  return [half, half.replaceAll("'", '&#39;'), half.replaceAll("'", '&#x27;')];
}

/** The part of the base64 text that does not depend on what stands before and after the bytes. */
function base64At(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const padding = text.length - text.replace(/=+$/, '').length;
  const inner = text.slice(offset === 0 ? 0 : offset + 1, padding === 0 ? undefined : -(padding + 1));
  return inner.length < SHORTEST_BASE64 ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
}
