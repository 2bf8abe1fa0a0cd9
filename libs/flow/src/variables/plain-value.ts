import { formatForMachine, formatForPerson, type MatrixType } from '@batuta/matrix';

/** How Moeda is written: `person` = `1.234,56`, `machine` = `1234.56` (contract 2.6, interpretation 44). */
export type TextFormat = 'person' | 'machine';

/** Replaces a value that JSON lacks: dates become ISO 8601, binary content base64, big integers text, the rest null. */
export function plainValue(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return typeof value === 'function' || typeof value === 'symbol' || value === undefined ? null : value;
}

/** A value as text: lists and objects as JSON, null and undefined as empty text. */
export function formattedText(value: unknown, type: MatrixType | undefined, format: TextFormat): string {
  const plain = plainValue(value);
  return format === 'person' ? formatForPerson(type, plain) : formatForMachine(type, plain);
}
