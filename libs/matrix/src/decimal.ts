import { fits, misfit, type Fit } from './fit';

const MOST_DIGITS = 15;
const TOO_BIG = 'is too big to be held exactly';
const TOO_PRECISE = `has more than ${MOST_DIGITS} significant digits`;

const withoutDots = (text: string) => text.replaceAll('.', '');
const withoutCommas = (text: string) => text.replaceAll(',', '');
const commaToDot = (text: string) => text.replace(',', '.');

/** The ways to write an unsigned number, tried in this order, each with its way to plain decimal (interpretation 32). */
const FORMS: { pattern: RegExp; toPlain: (text: string) => string }[] = [
  // 1234
  { pattern: /^\d+$/, toPlain: (text) => text },
  // 1.234 and 1.234.567: before the decimal dot, which would read 1.234 as a fraction
  { pattern: /^[1-9]\d{0,2}(?:\.\d{3})+$/, toPlain: withoutDots },
  // 1,234,567: twice or more, a single comma is decimal
  { pattern: /^[1-9]\d{0,2}(?:,\d{3}){2,}$/, toPlain: withoutCommas },
  // 1234,5 and 1234.5
  { pattern: /^\d+[.,]\d+$/, toPlain: commaToDot },
  // 1.234,56
  { pattern: /^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/, toPlain: (text) => commaToDot(withoutDots(text)) },
  // 1,234.56
  { pattern: /^[1-9]\d{0,2}(?:,\d{3})+\.\d+$/, toPlain: withoutCommas },
];

/** `1.234,56` → `1234.56`; undefined for what is not an unsigned number. */
export function plainDecimal(text: string): string | undefined {
  return FORMS.find(({ pattern }) => pattern.test(text))?.toPlain(text);
}

/** Refuses a plain decimal text that a JavaScript number cannot hold exactly (interpretation 32). */
export function exactDecimal(plain: string): Fit<string> {
  const digits = significantDigits(plain);
  const vanishes = digits > 0 && Number(plain) === 0;
  if (digits > MOST_DIGITS || vanishes) return misfit(TOO_PRECISE);
  return isHeld(Number(plain)) ? fits(plain) : misfit(TOO_BIG);
}

/** Refuses a JSON number that is none (NaN, Infinity) or lost digits already when it was parsed; turns -0 into 0. */
export function exactNumber(value: number): Fit<number> {
  if (Number.isNaN(value)) return misfit('is not a number');
  return isHeld(value) ? fits(value + 0) : misfit(TOO_BIG);
}

function isHeld(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** Digits between the first and the last that is not zero: `1000000` and `0.001` have one. */
function significantDigits(plain: string): number {
  const digits = plain.replace('.', '').replace(/^-?0*/, '');
  let last = digits.length;
  while (digits[last - 1] === '0') last -= 1;
  return last;
}
