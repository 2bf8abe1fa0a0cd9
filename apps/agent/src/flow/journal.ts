import { MAX_LOG_MESSAGE, type ReportLine } from '@batuta/agent-protocol';
import { formatForPerson, type MatrixType } from '@batuta/matrix';
import { HIDDEN, wellFormed, type Mask } from '@batuta/masking';

/** Resolves when the next line may follow, so that a slow connection slows the flow down instead of filling the memory. */
export type LineSink = (line: ReportLine) => Promise<void>;

const MAX_SHOWN_VALUE = 200;
const MAX_STEP_NAME = 200;
/** Parts of a long text; each part, with the text in front of it, fits into one message. */
const PARTS = /.{1,8000}/gsu;

/** Writes the execution log for the process owner, with all sensitive values masked (contract 2.8). */
export class Journal {
  private step = '';

  constructor(
    private readonly sink: LineSink,
    private readonly mask: Mask,
    private readonly now: () => number,
  ) {}

  /** The following lines belong to this step. */
  enterStep(step: string): void {
    this.step = step;
  }

  info(message: string): Promise<void> {
    return this.write('INFO', `Step "${this.step}": ${message}`);
  }

  warning(message: string): Promise<void> {
    return this.write('WARNING', `Step "${this.step}": ${message}`);
  }

  error(message: string): Promise<void> {
    return this.write('ERROR', `Step "${this.step}": ${message}`);
  }

  /** Writes a text of any length in several lines. It is masked before it is split, so that no part of a secret remains. */
  async longInfo(message: string, text: string): Promise<void> {
    const [first = '', ...others] = this.mask.redact(text).match(PARTS) ?? [];
    await this.info(`${message}${first}`);
    for (const part of others) await this.info(`… ${part}`);
  }

  /** A line about the whole execution; its `stepID` is still the current step. */
  execution(message: string, severity: ReportLine['severity'] = 'INFO'): Promise<void> {
    return this.write(severity, message);
  }

  /** A value for people: text in quotes, Moeda in Brazilian form, long values cut. */
  formatValue(value: unknown, type?: MatrixType, sensitive = false): string {
    if (sensitive) return HIDDEN;
    if (value === null || value === undefined) return 'empty';
    if (typeof value === 'string') return `"${this.mask.excerpt(value, MAX_SHOWN_VALUE)}"`;
    return this.mask.excerpt(formatForPerson(type, value), MAX_SHOWN_VALUE);
  }

  private write(severity: ReportLine['severity'], text: string): Promise<void> {
    const message = cutTo(MAX_LOG_MESSAGE, this.mask.redact(text));
    const stepID = this.mask.redact(this.step).slice(0, MAX_STEP_NAME);
    return this.sink({ timestamp: new Date(this.now()).toISOString(), severity, message, stepID });
  }
}

/** Cuts a masked text to `maxLength` characters and notes its length. */
export function cutTo(maxLength: number, text: string): string {
  if (text.length <= maxLength) return wellFormed(text);
  const note = `… (cut, ${text.length} characters)`;
  return wellFormed(text.slice(0, maxLength - note.length)) + note;
}
