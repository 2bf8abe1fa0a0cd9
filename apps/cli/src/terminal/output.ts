import { safeJson, safeLine, safeText } from './safe-text';
import type { Terminal, TerminalOutput } from './terminal';

export interface OutputColumn<Row> {
  title: string;
  /** The value of a row in this column. */
  of: (row: Row) => unknown;
}

const COLOURS = { red: 31, green: 32, yellow: 33, dim: 2 } as const;
const CLEAR_LINE = '\r\u001b[2K';

export type Colour = keyof typeof COLOURS;

/** Writes results to standard output, as text or as JSON, and notes, progress and errors to standard error. */
export class Output {
  private progressShown = false;

  constructor(
    private readonly terminal: Pick<Terminal, 'env' | 'output' | 'errors'>,
    readonly json: boolean,
  ) {}

  /** Shows the result of a command: JSON with the option `--json`, otherwise the text. */
  show(value: unknown, text: string): void {
    this.clearProgress();
    this.terminal.output.write(`${this.json ? safeJson(value, 2) : text}\n`);
  }

  /** Shows one result of a command that gives several over time, such as `--follow`: a line of JSON, or the text. */
  showNext(value: unknown, text: string): void {
    this.clearProgress();
    this.terminal.output.write(`${this.json ? safeJson(value) : text}\n`);
  }

  /** Shows rows as a table, or `value` with the option `--json`. */
  table<Row>(value: unknown, rows: Row[], columns: OutputColumn<Row>[]): void {
    this.show(value, rows.length === 0 ? '(none)' : tableText(rows, columns));
  }

  /** Shows one object: a line of text for each field of `shown`, or `value` with the option `--json`. */
  fields(value: object, shown = value): void {
    this.show(value, fieldsText(shown));
  }

  /** Shows a note for people on standard error; shows nothing with the option `--json`. */
  note(text: string): void {
    this.clearProgress();
    if (!this.json) this.terminal.errors.write(`${safeText(text)}\n`);
  }

  /** Replaces the last progress message on standard error; shows nothing with `--json`, or where that is no terminal, as in logs of builds. */
  progress(text: string): void {
    if (this.json || !this.terminal.errors.isTTY) return;
    this.terminal.errors.write(`${CLEAR_LINE}${this.colored('dim', safeLine(text), this.terminal.errors)}`);
    this.progressShown = true;
  }

  clearProgress(): void {
    if (this.progressShown) this.terminal.errors.write(CLEAR_LINE);
    this.progressShown = false;
  }

  /** Shows the error of a command: `value` with the option `--json`, otherwise the text. */
  error(value: object, text: string): void {
    this.clearProgress();
    const { errors } = this.terminal;
    errors.write(this.json ? `${safeJson({ error: value })}\n` : `${this.colored('red', 'batuta:', errors)} ${text}\n`);
  }

  /** The text in a colour; unchanged where the stream is no terminal, the terminal is `dumb`, or the user wants no colours (NO_COLOR). */
  colored(colour: Colour, text: string, stream: TerminalOutput = this.terminal.output): string {
    const { NO_COLOR: noColour, TERM: term } = this.terminal.env;
    const plain = !stream.isTTY || (noColour !== undefined && noColour !== '') || term === 'dumb';
    return plain ? text : `\u001b[${COLOURS[colour]}m${text}\u001b[0m`;
  }
}

function tableText<Row>(rows: Row[], columns: OutputColumn<Row>[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ of }) => cellText(of(row))))];
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => lengthOf(cells[column] ?? ''))));
  return lines
    .map((cells) => cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell))))
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n');
}

function fieldsText(value: object): string {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, field]) => `${safeLine(name).padEnd(width)}  ${cellText(field)}`).join('\n');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? safeLine(value) : safeJson(value);
}

const lengthOf = (text: string) => Array.from(text).length;
