import { StepError } from '../../step-error';

/** A value of a column, as JSON can hold it. */
export type Cell = null | boolean | number | string | object;

/**
 * Collects the rows of a step up to a limit. Rows above the limit are dropped; the first of them calls `tooMany` once.
 */
export class RowCollector {
  private total = 0;
  private names: string[] = [];
  private rows: Record<string, Cell>[] = [];

  constructor(
    private readonly maxRows: number,
    private readonly tooMany: (reason: StepError) => void,
  ) {}

  /** Begins a result with these columns. Columns without a name, and repeated names, get a unique name. */
  beginResult(names: readonly string[]): void {
    const taken = new Set<string>();
    this.names = names.map((name, index) => {
      const wanted = name === '' ? `column${index + 1}` : name;
      let free = wanted;
      for (let number = 2; taken.has(free); number += 1) free = `${wanted}_${number}`;
      taken.add(free);
      return free;
    });
  }

  addRow(cells: readonly Cell[]): void {
    this.total += 1;
    if (this.total === this.maxRows + 1) {
      this.tooMany(new StepError(`the result has more than ${this.maxRows} rows (maxRows): read fewer, or raise it`));
    }
    if (this.total <= this.maxRows) {
      this.rows.push(Object.fromEntries(this.names.map((name, index) => [name, cells[index] ?? null])));
    }
  }

  /** Returns the rows that arrived since the last call. */
  takeRows(): Record<string, Cell>[] {
    const { rows } = this;
    this.rows = [];
    this.names = [];
    return rows;
  }
}

/** A whole number that the server sent as text: a number where JavaScript holds it exactly, else the text. */
export function numberIfExact(digits: string): number | string {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : digits;
}

/** The number with the fewest digits that has the same 32 bits, as servers usually show it: 1.1 and not 1.100000023841858. */
export function shortestFloat(value: number): number {
  const digits = [6, 7, 8].find((count) => Math.fround(Number(value.toPrecision(count))) === value);
  return digits === undefined ? value : Number(value.toPrecision(digits));
}
