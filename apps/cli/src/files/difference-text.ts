import type { Difference } from '@batuta/process-files';
import { safeJson, safeLine } from '../terminal/safe-text';

const MAX_SHOWN_LENGTH = 80;

/** A surrogate that a cut has separated from its pair, at the beginning or at the end. */
const LONE_SURROGATES = /^[\udc00-\udfff]|[\ud800-\udbff]$/g;

/** Number of equal characters that stay before the first difference of long values. */
const MAX_EQUAL_SHOWN_LENGTH = 20;

/** One line: `+` = only in the files, `-` = only in the console, `~` = different, shown as `console → files`. */
export function differenceText({ file, path, from, to }: Difference): string {
  const place = `${safeLine(file)}${path === '' ? '' : ` ${safeLine(path)}`}`;
  if (from === undefined) return `+ ${place}: ${shortText(safeJson(to))}`;
  if (to === undefined) return `- ${place}: ${shortText(safeJson(from))}`;
  return `~ ${place}: ${shortChange(safeJson(from), safeJson(to))}`;
}

/** Long values that begin alike are shown from where they differ. */
function shortChange(from: string, to: string): string {
  let equal = 0;
  while (equal < from.length && from[equal] === to[equal]) equal += 1;
  const start = equal < MAX_SHOWN_LENGTH ? 0 : equal - MAX_EQUAL_SHOWN_LENGTH;
  return `${shortText(from, start)} → ${shortText(to, start)}`;
}

function shortText(text: string, start = 0): string {
  const shown = text.slice(start, start + MAX_SHOWN_LENGTH).replace(LONE_SURROGATES, '');
  return `${start > 0 ? '…' : ''}${shown}${start + MAX_SHOWN_LENGTH < text.length ? '…' : ''}`;
}
