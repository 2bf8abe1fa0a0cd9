/**
 * Abbreviations that, like CURRENCY_CODES and the currency symbols, may stand before or after the number of a Moeda text, in upper or lower
 * case (contract 2.6, interpretation 32). Symbols of a part of the unit, such as ¢, may not. A mark does not change the value: amounts are not
 * converted between currencies.
 */
export const CURRENCY_ABBREVIATIONS = [
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
  'S/',
] as const;

/** ISO 4217 codes of the Americas and of the currencies in which Brazilian trade is invoiced. */
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

// Longest first: the mark of `5 CA$` is `CA$`, not `A$`.
const CURRENCY_MARKS = [...CURRENCY_ABBREVIATIONS, ...CURRENCY_CODES].toSorted((a, b) => b.length - a.length);
/** Every currency symbol of Unicode but those of a part of the unit, with which the number is not the amount. */
const LEADING_SYMBOL = /^(?![¢￠₥₰৻])\p{Sc}/u;
const TRAILING_SYMBOL = /(?![¢￠₥₰৻])\p{Sc}$/u;

/** The text without its leading mark and the spaces behind the mark; undefined when it begins with no mark. */
export function withoutLeadingMark(text: string): string | undefined {
  const listed = CURRENCY_MARKS.find((each) => text.slice(0, each.length).toUpperCase() === each);
  const mark = listed ?? LEADING_SYMBOL.exec(text)?.[0];
  return mark === undefined ? undefined : text.slice(mark.length).trimStart();
}

/** The text without its trailing mark and the spaces before the mark; undefined when it ends with no mark. */
export function withoutTrailingMark(text: string): string | undefined {
  const listed = CURRENCY_MARKS.find((each) => text.slice(-each.length).toUpperCase() === each);
  const mark = listed ?? TRAILING_SYMBOL.exec(text)?.[0];
  return mark === undefined ? undefined : text.slice(0, -mark.length).trimEnd();
}
