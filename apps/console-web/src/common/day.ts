/** Days as filters and date fields write them, such as `2026-11-22`, in the zone of this machine. */
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
/**
 * The earliest year that a filter accepts. An earlier year is still being typed: a date field reports `0002` after the
 * first digit of `2026`.
 */
const MIN_YEAR = 2000;

/** Reads a search parameter that holds a day; a text that is no existing day counts as absent. */
export function existingDay(value: unknown): string | undefined {
  return typeof value === 'string' && startOfDay(value) !== undefined ? value : undefined;
}

/** The first moment of a day, or of the day that comes `daysLater`; undefined if the text is no existing day. */
function startOfDay(text: string | undefined, daysLater = 0): Date | undefined {
  const [, year, month, date] = DAY.exec(text ?? '') ?? [];
  if (Number(year ?? 0) < MIN_YEAR) return undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(date));
  if (start.getMonth() !== Number(month) - 1 || start.getDate() !== Number(date)) return undefined;
  start.setDate(start.getDate() + daysLater);
  return start;
}

/** The query parameters of a period of whole days, both included. */
export function periodOf({ from, to }: { from?: string; to?: string }) {
  return { from: startOfDay(from)?.toISOString(), to: startOfDay(to, 1)?.toISOString() };
}

/** The day of a time. */
export function dayOf(time: Date): string {
  const part = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${part(time.getMonth() + 1)}-${part(time.getDate())}`;
}
