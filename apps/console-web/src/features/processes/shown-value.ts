import { formatForPerson, type MatrixType } from '@batuta/matrix';

/** The currency symbol of values of the type Moeda. */
export const CURRENCY_SYMBOL = 'R$';
/** Characters of a value that are shown beside a field; the rest is cut off. */
const MAX_SHOWN_LENGTH = 2_000;

/**
 * A value as people write it in Brazil: `1.234,56` as Moeda, `0,5` as Número, JSON for lists and objects, empty for null. `type` is undefined
 * where it is not known.
 */
export function formattedValue(type: MatrixType | undefined, value: unknown): string {
  const text = formatForPerson(type, value);
  return type === 'Número' ? text.replace('.', ',') : text;
}

/** `formattedValue`, cut after MAX_SHOWN_LENGTH characters, with the currency symbol for Moeda. */
export function shortValue(type: MatrixType, value: unknown): string {
  const text = formattedValue(type, value);
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return withCurrencySymbol(type, shown);
}

/** The text of a value, with the currency symbol before it for Moeda. */
export function withCurrencySymbol(type: string, text: string): string {
  return type === 'Moeda' && text !== '' ? `${CURRENCY_SYMBOL} ${text}` : text;
}
