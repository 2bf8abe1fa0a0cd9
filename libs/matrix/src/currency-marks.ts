/**
 * The marks that a Moeda text may carry before or after its number, in any case (contract 2.6, interpretation 32). A mark says
 * nothing about the value: amounts are not converted between currencies.
 */
export const CURRENCY_SYMBOLS = [
  'R$',
  'US$',
  'U$',
  'CA$',
  'AU$',
  'NZ$',
  'MX$',
  'AR$',
  'A$',
  'C$',
  'S$',
  'HK$',
  '$',
  '€',
  '£',
  '¥',
  '₹',
  '₩',
  '₽',
  '₺',
  '₪',
  '₲',
  '₡',
  '₱',
  '₫',
  '₦',
  '₿',
  'S/',
] as const;

/** ISO 4217 codes: the Americas, and the currencies that Brazilian trade is invoiced in. */
export const CURRENCY_CODES = [
  'BRL',
  'USD',
  'EUR',
  'GBP',
  'JPY',
  'ARS',
  'BOB',
  'CLP',
  'COP',
  'CRC',
  'MXN',
  'PEN',
  'PYG',
  'UYU',
  'VES',
  'CAD',
  'AUD',
  'NZD',
  'CHF',
  'CNY',
  'HKD',
  'INR',
  'KRW',
  'SGD',
  'RUB',
  'TRY',
  'ZAR',
  'AOA',
  'MZN',
  'SEK',
  'NOK',
  'DKK',
  'PLN',
  'AED',
  'ILS',
] as const;

// Longest first: `US$ 5` must not be read as `US` and `$ 5`.
const MARKS = [...CURRENCY_SYMBOLS, ...CURRENCY_CODES].toSorted((a, b) => b.length - a.length);

/** Takes one mark and the spaces behind it off the front; undefined when there is none. */
export function withoutLeadingMark(text: string): string | undefined {
  const mark = MARKS.find((each) => text.slice(0, each.length).toUpperCase() === each);
  return mark === undefined ? undefined : text.slice(mark.length).trimStart();
}

/** Takes one mark and the spaces before it off the end; undefined when there is none. */
export function withoutTrailingMark(text: string): string | undefined {
  const mark = MARKS.find((each) => text.slice(-each.length).toUpperCase() === each);
  return mark === undefined ? undefined : text.slice(0, -mark.length).trimEnd();
}
