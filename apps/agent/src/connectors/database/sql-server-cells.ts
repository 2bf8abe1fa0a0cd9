import { StepError } from '../../step-error';
import type { Cell } from './row-collector';
import { numberIfExact, shortestFloat } from './row-collector';

/** A column as the package mssql describes it; `type.declaration` is the name of its type in SQL. */
export interface SqlServerColumn {
  name: string;
  scale?: number;
  type?: { declaration?: string } | (() => unknown);
}

/**
 * The values of a row of the driver. The text of FOR JSON and FOR XML, which the server sends in pieces, arrives as an object with one text.
 * Undefined for an empty one: the query found nothing, so there is no row.
 */
export function valuesOfRow(row: unknown): readonly unknown[] | undefined {
  if (Array.isArray(row)) return row;
  const [text] = Object.values(Object(row));
  return text === '' ? undefined : [text];
}

/**
 * The cells of one row. The driver returns decimals as JavaScript numbers, so a decimal that a number cannot hold
 * exactly fails the step instead of losing digits.
 */
export function sqlServerCells(values: readonly unknown[], columns: readonly SqlServerColumn[]): Cell[] {
  return values.map((value, index) => cellOf(value, columns[index] ?? { name: '' }));
}

function cellOf(value: unknown, column: SqlServerColumn): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return dateText(value, column);
  const type = typeName(column);
  if (typeof value === 'number') {
    if (isDecimal(type)) return decimalText(value, type, column);
    return type === 'real' ? shortestFloat(value) : value;
  }
  if (typeof value === 'string') return type === 'bigint' ? numberIfExact(value) : value;
  return typeof value === 'boolean' || typeof value === 'object' ? value : null;
}

function typeName({ type }: SqlServerColumn): string {
  const declaration: unknown = Reflect.get(Object(type), 'declaration');
  return typeof declaration === 'string' ? declaration.toLowerCase() : '';
}

function isDecimal(type: string): boolean {
  return ['decimal', 'numeric', 'money', 'smallmoney'].includes(type);
}

function decimalText(value: number, type: string, { name, scale }: SqlServerColumn): string {
  const digits = type.endsWith('money') ? 4 : (scale ?? 0);
  if (Math.abs(value) * 10 ** digits > Number.MAX_SAFE_INTEGER) {
    throw new StepError(
      `the column ${name} has a decimal with more digits than the driver reads exactly: select CAST(${name} AS varchar(50))`,
    );
  }
  return value.toFixed(digits);
}

/** Writes a date as text in UTC. The driver keeps the digits below a millisecond in a property of the date. */
function dateText(value: Date, column: SqlServerColumn): string {
  const [date = '', time = ''] = value.toISOString().slice(0, -1).split('T');
  const type = typeName(column);
  if (type === 'date') return date;
  const delta = Number(Reflect.get(value, 'nanosecondsDelta') ?? 0);
  const ticks = String(Math.round(delta * 1e7)).padStart(4, '0');
  const exact = `${time}${ticks}`.slice(0, '12:30:00.'.length + (column.scale ?? 3)).replace(/\.$/, '');
  if (type === 'time') return exact;
  return type === 'datetimeoffset' ? `${date} ${exact}+00:00` : `${date} ${exact}`;
}
