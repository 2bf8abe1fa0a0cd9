import { fits, misfit, type ConversionFit } from './fit';

const MAX_SIGNIFICANT_DIGITS = 15;
const TOO_BIG_MESSAGE = 'is too big to be held exactly';
const TOO_PRECISE_MESSAGE = `has more than ${MAX_SIGNIFICANT_DIGITS} significant digits`;

const withoutDots = (text: string) => text.replaceAll('.', '');
const withoutCommas = (text: string) => text.replaceAll(',', '');
const commaToDot = (text: string) => text.replace(',', '.');

/** The notations of an unsigned number, tried in this order, each with its conversion to plain decimal (interpretation 32). */
const NUMBER_FORMS: { pattern: RegExp; toPlain: (text: string) => string }[] = [
  // 1234
  { pattern: /^\d+$/, toPlain: (text) => text },
  // 1.234 and 1.234.567; tried before the decimal dot, which would make 1.234 a fraction
  { pattern: /^[1-9]\d{0,2}(?:\.\d{3})+$/, toPlain: withoutDots },
  // 1,234,567; at least two commas, because a single comma is decimal
  { pattern: /^[1-9]\d{0,2}(?:,\d{3}){2,}$/, toPlain: withoutCommas },
  // 1234,5 and 1234.5
  { pattern: /^\d+[.,]\d+$/, toPlain: commaToDot },
  // 1.234,56
  { pattern: /^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/, toPlain: (text) => commaToDot(withoutDots(text)) },
  // 1,234.56
  { pattern: /^[1-9]\d{0,2}(?:,\d{3})+\.\d+$/, toPlain: withoutCommas },
];

/** Converts an unsigned number in one of NUMBER_FORMS, such as `1.234,56` or `1,234.56`, to `1234.56`; undefined for other text. */
export function plainDecimal(text: string): string | undefined {
  return NUMBER_FORMS.find(({ pattern }) => pattern.test(text))?.toPlain(text);
}

/**
 * The plain decimal text, or a misfit when a number would not give its digits back: more than 15 significant digits, so small that it becomes 0, or
 * above MAX_SAFE_INTEGER (interpretation 32).
 */
export function exactDecimal(plain: string): ConversionFit<string> {
  const digits = significantDigits(plain);
  const becomesZero = digits > 0 && Number(plain) === 0;
  if (digits > MAX_SIGNIFICANT_DIGITS || becomesZero) return misfit(TOO_PRECISE_MESSAGE);
  return isExact(Number(plain)) ? fits(plain) : misfit(TOO_BIG_MESSAGE);
}

/** The number, with 0 for -0, or a misfit for NaN, Infinity and numbers so large that parsing their JSON may have lost digits. */
export function exactNumber(value: number): ConversionFit<number> {
  if (Number.isNaN(value)) return misfit('is not a number');
  return isExact(value) ? fits(value + 0) : misfit(TOO_BIG_MESSAGE);
}

function isExact(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** The number of digits from the first to the last that is not zero: `1000000` and `0.001` have one. */
function significantDigits(plain: string): number {
  const digits = plain.replace('.', '').replace(/^-?0*/, '');
  let last = digits.length;
  while (digits[last - 1] === '0') last -= 1;
  return last;
}
