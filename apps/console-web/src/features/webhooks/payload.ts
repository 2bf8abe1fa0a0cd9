import type { VariableAnswer } from '../../api/generated/console-api';
import { shortValue } from '../processes/shown-value';

/** One field of a payload in the tree, or the whole payload, whose pointer is empty. */
export interface PayloadNode {
  name: string;
  pointer: string;
  value: unknown;
}

const MAX_TEXT_LENGTH = 80;

/** The JSON Pointer (RFC 6901) to the field `name` of the value at `pointer`. */
export function pointerTo(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The fields of an object, or the items of a list; none of any other value. */
export function childrenOf(value: unknown, pointer: string): PayloadNode[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, child]: [string, unknown]) => ({
    name,
    pointer: pointerTo(pointer, name),
    value: child,
  }));
}

/** A value as JSON on one line, cut after MAX_TEXT_LENGTH characters. */
export function payloadTextOf(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

/** The value that a mapping gives a variable: numbers as other pages show values of the type, which is undefined for a removed variable. */
export function previewTextOf(type: VariableAnswer['type'] | undefined, value: unknown): string {
  return type !== undefined && typeof value === 'number' ? shortValue(type, value) : payloadTextOf(value);
}
