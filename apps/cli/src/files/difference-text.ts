import type { Difference } from '@batuta/process-files';
import { safeJson, safeLine } from '../terminal/safe-text';

const MAX_SHOWN = 80;

export function differenceText({ file, path, from, to }: Difference): string {
  const place = `${safeLine(file)}${path === '' ? '' : ` ${safeLine(path)}`}`;
  if (from === undefined) return `+ ${place}: ${shortText(to)}`;
  if (to === undefined) return `- ${place}: ${shortText(from)}`;
  return `~ ${place}: ${shortText(from)} → ${shortText(to)}`;
}

function shortText(value: unknown): string {
  const text = safeJson(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
