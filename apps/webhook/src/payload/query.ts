import { isUtf8 } from 'node:buffer';

const ENCODED_BYTE = /%([0-9a-f]{2})/gi;

/**
 * Names and values of a raw query string in their order, as URLSearchParams reads them: invalid percent-encoding is left undecoded. Bytes that are
 * not valid UTF-8 are read as ISO-8859-1, like those of a body; URLSearchParams would lose them (interpretation 25).
 */
export function readQuery(query: string): [name: string, value: string][] {
  return query
    .replace(/^\?/, '')
    .split('&')
    .filter((field) => field !== '')
    .map((field) => {
      const equals = field.indexOf('=');
      const name = equals === -1 ? field : field.slice(0, equals);
      return [decode(name), equals === -1 ? '' : decode(field.slice(equals + 1))];
    });
}

function decode(text: string): string {
  const decoded = text
    .replaceAll('+', ' ')
    .replace(ENCODED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const bytes = Buffer.from(decoded, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : decoded;
}
