import type { ColumnOptions } from 'typeorm';

// Column options that most entities share. Migrations, not entities, create the tables.

export const ID_COLUMN = { type: 'char', length: 36 } as const;
export const TIME_COLUMN: ColumnOptions = { type: 'datetime', precision: 3 };
export const TIME_OR_NULL_COLUMN: ColumnOptions = { ...TIME_COLUMN, nullable: true };
export const FLAG_COLUMN: ColumnOptions = { type: 'boolean' };
/** A SHA-256. */
export const HASH_COLUMN: ColumnOptions = { type: 'binary', length: 32 };

/** An amount with two decimals, which the driver returns as text and entities have as a number. */
export const DECIMAL_COLUMN: ColumnOptions = {
  type: 'decimal',
  precision: 14,
  scale: 2,
  transformer: { to: (value: number) => value, from: (text: string) => Number(text) },
};
