import { readFileSync } from 'node:fs';

/** The text of a file, without the byte order mark that editors of Windows may put before it. */
export function readText(path: string): string {
  return withoutByteOrderMark(readFileSync(path, 'utf8'));
}

export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
