import type { ColumnOptions } from 'typeorm';

/** Column options that most entities share. Migrations, not entities, create the tables. */
export const ID = { type: 'char', length: 36 } as const;
export const TIME: ColumnOptions = { type: 'datetime', precision: 3 };
export const TIME_OR_NULL: ColumnOptions = { ...TIME, nullable: true };
export const FLAG: ColumnOptions = { type: 'boolean' };
export const HASH: ColumnOptions = { type: 'binary', length: 32 };

/** The driver returns decimals as text. */
export const DECIMAL: ColumnOptions = {
  type: 'decimal',
  precision: 14,
  scale: 2,
  transformer: { to: (value: number) => value, from: (text: string) => Number(text) },
};
