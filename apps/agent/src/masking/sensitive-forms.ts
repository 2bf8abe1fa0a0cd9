import { wellFormed } from './well-formed';

/** Shorter texts would hide half of every message; they are hidden only where the variable itself is shown. */
const SHORTEST = 3;
const SHORTEST_LINE = 8;
const SHORTEST_BASE64 = 6;

/**
 * Every form in which a sensitive text may come up again: as it is, escaped in JSON, URL-encoded, in hexadecimal, in
 * base64 at any offset of a longer text (`user:password`), and a long text line by line.
 */
export function formsOf(text: string): string[] {
  if (text.length < SHORTEST) return [];
  const encoded = encodeURIComponent(wellFormed(text));
  const bytes = Buffer.from(text, 'utf8');
  const lines = text.split(/\r?\n/);
  return [
    text,
    text.trim(),
    JSON.stringify(text).slice(1, -1),
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
    ...(lines.length > 1 ? lines.filter((line) => line.length >= SHORTEST_LINE) : []),
  ].filter((form) => form.length >= SHORTEST);
}

/** The part of the base64 text that does not depend on what stands before and after the bytes. */
function base64At(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const padding = text.length - text.replace(/=+$/, '').length;
  const inner = text.slice(offset === 0 ? 0 : offset + 1, padding === 0 ? undefined : -(padding + 1));
  return inner.length < SHORTEST_BASE64 ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
}
