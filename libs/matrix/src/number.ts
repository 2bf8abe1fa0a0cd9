import { Big } from 'big.js';
import { withoutLeadingMark, withoutTrailingMark } from './currency-marks';
import { exactDecimal, exactNumber, plainDecimal } from './decimal';
import { fits, misfit, type ConversionFit } from './fit';

const NO_NUMBER_MESSAGE = 'is not a number';
const NO_MONEY_MESSAGE = 'is not an amount of money';

/** Número: a JSON number, or text with decimal comma, decimal dot or grouped thousands (contract 2.6, interpretation 32). */
export function readNumber(value: unknown): ConversionFit<number> {
  if (typeof value === 'number') return exactNumber(value);
  if (typeof value !== 'string') return misfit(NO_NUMBER_MESSAGE);
  const decimal = signedDecimal(value.trim());
  return decimal === undefined ? misfit(NO_NUMBER_MESSAGE) : numberOfDecimal(decimal);
}

/** Moeda: like Número, also with one currency mark; rounded to two decimals, half away from zero. */
export function readMoney(value: unknown): ConversionFit<number> {
  const exact = typeof value === 'number' ? exactNumber(value) : moneyText(value);
  return exact.fits ? fits(roundToCents(exact.value)) : exact;
}

/** Rounds the decimal digits of the number, not its binary fraction: 10.555 becomes 10.56, -0.001 becomes 0. */
export function roundToCents(amount: number | string): number {
  return new Big(amount).round(2, Big.roundHalfUp).toNumber() + 0;
}

function numberOfDecimal(decimal: string): ConversionFit<number> {
  const exact = exactDecimal(decimal);
  return exact.fits ? fits(Number(exact.value) + 0) : exact;
}

function moneyText(value: unknown): ConversionFit<string> {
  if (typeof value !== 'string') return misfit(NO_MONEY_MESSAGE);
  const text = value.trim();
  const decimal = signedDecimal(text) ?? markedDecimal(text);
  return decimal === undefined ? misfit(NO_MONEY_MESSAGE) : exactDecimal(decimal);
}

/** Converts `-1.234,5` to `-1234.5`. */
function signedDecimal(text: string): string | undefined {
  if (!text.startsWith('-')) return plainDecimal(text);
  const plain = plainDecimal(text.slice(1));
  return plain === undefined ? undefined : `-${plain}`;
}

/** A number with one mark and at most one minus sign, directly before the number or before a leading mark. */
function markedDecimal(text: string): string | undefined {
  const behindMark = withoutLeadingMark(text);
  if (behindMark !== undefined) return signedDecimal(behindMark);
  const behindSignAndMark = text.startsWith('-') ? withoutLeadingMark(text.slice(1)) : undefined;
  if (behindSignAndMark !== undefined) return signedDecimal(`-${behindSignAndMark}`);
  const beforeMark = withoutTrailingMark(text);
  return beforeMark === undefined ? undefined : signedDecimal(beforeMark);
}
