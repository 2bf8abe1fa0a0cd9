import { MAX_LOG_MESSAGE_CHARACTERS, type ReportLine } from '@batuta/agent-protocol';
import { formatForPerson, type MatrixType } from '@batuta/matrix';
import { MASK_TEXT, wellFormed, type Mask } from '@batuta/masking';

/**
 * Takes a log line. Resolves when the next line may follow, so that a slow connection slows the flow down instead of
 * filling the memory.
 */
export type LineSink = (line: ReportLine) => Promise<void>;

const MAX_SHOWN_VALUE_LENGTH = 200;
const MAX_STEP_NAME_LENGTH = 200;
/** Splits a long text into parts; each part and the text in front of it fit into one log message. */
const LONG_TEXT_PARTS = /.{1,8000}/gsu;

/** A picture that was taken for a log line; without a link it is not kept (interpretation 57). */
interface LinkOfPicture {
  readonly link: string | undefined;
}

/** Writes the execution log, with the sensitive values masked (contract 2.8). */
export class Journal {
  private step = '';

  constructor(
    private readonly sink: LineSink,
    private readonly mask: Mask,
    private readonly now: () => number,
  ) {}

  /** Sets the step of the following log lines. */
  enterStep(step: string): void {
    this.step = step;
  }

  info(message: string): Promise<void> {
    return this.maskAndWrite('INFO', message);
  }

  /** Says which step follows and why; the name of a step is masked as a whole or not at all. */
  logNextStep(name: string, because: string): Promise<void> {
    return this.writeWithStep('INFO', `goes on to "${this.mask.redactIfWhole(name)}"${this.mask.redact(because)}`);
  }

  /** With `cut`, the message may end in the middle of a sensitive value, and is masked accordingly. */
  warning(message: string, { cut = false } = {}): Promise<void> {
    return this.maskAndWrite('WARNING', this.mask.redact(message, { cut }));
  }

  /** Writes an error line; `picture` shows the page at the failure. */
  error(message: string, picture?: LinkOfPicture): Promise<void> {
    return this.maskAndWrite('ERROR', `${message}${missingPictureNote(picture)}`, picture?.link);
  }

  /** Writes a line with the link of a picture. */
  evidence(message: string, picture: LinkOfPicture): Promise<void> {
    return this.maskAndWrite('INFO', `${message}${missingPictureNote(picture)}`, picture.link);
  }

  /** Writes a text of any length in several lines. It is masked before it is split, so that no part of a secret remains. */
  async longInfo(message: string, text: string): Promise<void> {
    const [first = '', ...others] = this.mask.redact(text).match(LONG_TEXT_PARTS) ?? [];
    await this.info(`${message}${first}`);
    for (const part of others) await this.info(`… ${part}`);
  }

  /** Writes a line about the whole execution; its `stepID` is still that of the current step. */
  logExecution(message: string, severity: ReportLine['severity'] = 'INFO'): Promise<void> {
    return this.write(severity, this.mask.redact(message));
  }

  /** Formats a value for people: text in quotes, Moeda in Brazilian form, long values cut. */
  formatValue(value: unknown, type?: MatrixType, sensitive = false): string {
    if (sensitive) return MASK_TEXT;
    if (value === null || value === undefined) return 'empty';
    if (typeof value === 'string') return `"${this.mask.excerpt(value, MAX_SHOWN_VALUE_LENGTH)}"`;
    return this.mask.excerpt(formatForPerson(type, value), MAX_SHOWN_VALUE_LENGTH);
  }

  private maskAndWrite(severity: ReportLine['severity'], message: string, evidence?: string): Promise<void> {
    return this.writeWithStep(severity, this.mask.redact(message), evidence);
  }

  private writeWithStep(severity: ReportLine['severity'], masked: string, evidence?: string): Promise<void> {
    return this.write(severity, `Step "${this.mask.redactIfWhole(this.step)}": ${masked}`, evidence);
  }

  private write(severity: ReportLine['severity'], masked: string, evidence?: string): Promise<void> {
    const message = truncateTo(MAX_LOG_MESSAGE_CHARACTERS, masked);
    const stepID = this.mask.redactIfWhole(this.step).slice(0, MAX_STEP_NAME_LENGTH);
    const timestamp = new Date(this.now()).toISOString();
    return this.sink({ timestamp, severity, message, stepID, ...(evidence !== undefined && { evidence }) });
  }
}

function missingPictureNote(picture: LinkOfPicture | undefined): string {
  return picture && picture.link === undefined ? ' [picture not kept]' : '';
}

/** Cuts a longer masked text so that it has `maxLength` characters with a note of its full length at its end. */
export function truncateTo(maxLength: number, text: string): string {
  if (text.length <= maxLength) return wellFormed(text);
  const note = `… (cut, ${text.length} characters)`;
  return wellFormed(text.slice(0, maxLength - note.length)) + note;
}
