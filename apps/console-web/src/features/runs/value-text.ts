import { numberFormat } from '../../i18n/intl';

/** A value of the Matrix as people read and type it in the language of the page. */
export function valueText(type: string, value: unknown, language: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(type, value, language);
  if (typeof value === 'boolean') return String(value);
  return JSON.stringify(value, null, 2);
}

function numberText(type: string, value: number, language: string): string {
  if (type !== 'Moeda') return numberFormat(language, { useGrouping: false, maximumFractionDigits: 15 }).format(value);
  return numberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);
}
