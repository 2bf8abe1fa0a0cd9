import { wellFormed } from './well-formed';

/**
 * Minimum length in characters of a text that is also hidden in its encoded forms; a shorter one is hidden only where
 * it stands alone.
 */
const MIN_ENCODED_LENGTH = 3;
/** Minimum length in characters of a line that is hidden without the other lines of its text. */
const MIN_LINE_LENGTH = 8;
/** Minimum length in characters of a part of base64 that is hidden. */
const MIN_BASE64_LENGTH = 6;

/**
 * The usual forms of a sensitive text, besides those of `rareFormsOf`: unchanged; line by line; in a URL or a form; each of these in JSON; in
 * HTML; in hexadecimal; in base64 at any offset of a longer text (`user:password`).
 */
export function formsOf(text: string): string[] {
  if (text.length < MIN_ENCODED_LENGTH) return [text];
  const bytes = Buffer.from(text, 'utf8');
  const lines = text.split(/\r?\n/);
  const plain = [
    text,
    text.trim(),
    ...urlForms(wellFormed(text)),
    ...(lines.length > 1 ? lines.filter((line) => line.length >= MIN_LINE_LENGTH) : []),
  ];
  const forms = [
    ...plain.flatMap(jsonForms),
    ...htmlForms(text),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_ENCODED_LENGTH);
}

/**
 * The forms of a text in a URL: encoded by `encodeURIComponent`, as most programs do, and as the class URL encodes each part of a URL,
 * which changes only the characters that the part must not contain.
 */
function urlForms(text: string): string[] {
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

/** The forms of a text in a JSON string, in JSON within JSON, and with all characters outside ASCII or all slashes escaped. */
export function jsonForms(text: string): string[] {
  const once = jsonEscaped(text);
  const ascii = once.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [text, once, jsonEscaped(once), ascii, ascii.replaceAll('/', '\\/')];
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function htmlForms(text: string): string[] {
  const basic = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  return [basic, basic.replaceAll("'", '&#39;'), basic.replaceAll("'", '&#x27;')];
}

/** The part of the base64 of `bytes` that is the same in every longer text with `offset` bytes (modulo 3) before them. */
function base64At(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const padding = text.length - text.replace(/=+$/, '').length;
  const inner = text.slice(offset === 0 ? 0 : offset + 1, padding === 0 ? undefined : -(padding + 1));
  return inner.length < MIN_BASE64_LENGTH ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
}
