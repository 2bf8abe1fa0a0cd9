import { formatForMachine, formatForPerson, type MatrixType } from '@batuta/matrix';

/** `person`: Moeda as `1.234,56`; `machine`: as `1234.56` (contract 2.6, interpretation 44). */
export type TextFormat = 'person' | 'machine';

/** What the runtime delivers but JSON lacks, as what stands for it everywhere: dates and binary content are text. */
export function plainValue(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return typeof value === 'function' || typeof value === 'symbol' || value === undefined ? null : value;
}

/** The text of a value; empty for null and undefined, JSON for lists and objects. */
export function textOf(value: unknown, type: MatrixType | undefined, format: TextFormat): string {
  const plain = plainValue(value);
  return format === 'person' ? formatForPerson(type, plain) : formatForMachine(type, plain);
}
