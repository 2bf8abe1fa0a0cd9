import { MAX_LOG_MESSAGE, type ReportLine } from '@batuta/contracts';
import { formatForPerson, type MatrixType } from '@batuta/matrix';
import { HIDDEN, type Mask } from '../masking/mask';
import { wellFormed } from '../masking/well-formed';

/** Takes one line; returns when the next may follow, so that a slow connection slows the flow and not fills the memory. */
export type LineSink = (line: ReportLine) => Promise<void>;

const SHOWN_VALUE = 200;
const LONGEST_STEP = 200;
/** A text that takes several lines: with what stands before it, each is below the longest message. */
const PIECES = /.{1,8000}/gsu;

/** Writes what an execution did, in words for the process owner, with everything sensitive masked (contract 2.8). */
export class Journal {
  private step = '';

  constructor(
    private readonly sink: LineSink,
    private readonly mask: Mask,
    private readonly now: () => number,
  ) {}

  /** The lines that follow belong to this step. */
  at(step: string): void {
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

  /** A text of any length, in as many lines as it takes; redacted first, so that no cut leaves half of a secret. */
  async long(message: string, text: string): Promise<void> {
    const [first = '', ...others] = this.mask.redact(text).match(PIECES) ?? [];
    await this.info(`${message}${first}`);
    for (const piece of others) await this.info(`… ${piece}`);
  }

  /** About the execution as a whole, still filed under the step it has come to. */
  execution(message: string, severity: ReportLine['severity'] = 'INFO'): Promise<void> {
    return this.write(severity, message);
  }

  /** A value as a person reads it: text in quotes, Moeda in Brazilian form, long ones cut. */
  shown(value: unknown, type?: MatrixType, sensitive = false): string {
    if (sensitive) return HIDDEN;
    if (value === null || value === undefined) return 'empty';
    if (typeof value === 'string') return `"${this.mask.excerpt(value, SHOWN_VALUE)}"`;
    return this.mask.excerpt(formatForPerson(type, value), SHOWN_VALUE);
  }

  private write(severity: ReportLine['severity'], text: string): Promise<void> {
    const message = cutTo(MAX_LOG_MESSAGE, this.mask.redact(text));
    const stepID = this.mask.redact(this.step).slice(0, LONGEST_STEP);
    return this.sink({ timestamp: new Date(this.now()).toISOString(), severity, message, stepID });
  }
}

/** Cuts a text that is redacted already and says that it was cut. */
export function cutTo(most: number, text: string): string {
  if (text.length <= most) return wellFormed(text);
  const note = `… (cut, ${text.length} characters)`;
  return wellFormed(text.slice(0, most - note.length)) + note;
}
