import { loneValue, renderText, type ReadableVariables } from '@batuta/flow';
import addressparser from 'nodemailer/lib/addressparser';
import { StepError } from '../../step-error';

export interface Mailbox {
  name: string;
  address: string;
}

const ADDRESS = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]{1,255}$/u;
/**
 * Characters that give an address list its structure: a value that contains one could add an address, or replace the
 * author's.
 */
const STRUCTURAL_CHARACTERS = /[<>,;:"()\\]/;

/**
 * The mailboxes of a field, which is one text or a list of texts, each with one or more comma-separated addresses. A
 * text that is one variable alone may give any number of addresses, also as a list. A variable beside other text may
 * only be a name or a part of an address. Throws StepError for a text that is no such list.
 */
export function mailboxesOf(
  field: string,
  templates: string | readonly string[],
  variables: ReadableVariables,
): Mailbox[] {
  const list = typeof templates === 'string' ? [templates] : templates;
  return list.flatMap((template) => textsOf(field, template, variables)).flatMap((text) => parseMailboxes(field, text));
}

/** Returns the text. Throws StepError for a text with a line break, which would begin a new header line, or with a NUL. */
export function checkOneLine(field: string, text: string): string {
  // oxlint-disable-next-line no-control-regex -- the characters that end a header line, or a text
  if (/[\r\n\0]/.test(text)) throw new StepError(`${field} must not have a line break`);
  return text;
}

function textsOf(field: string, template: string, variables: ReadableVariables): string[] {
  const lone = loneValue(template.trim(), variables);
  if (!lone) return [renderText(template, variables, 'person', (value) => partOfAddress(field, value))];
  const values: unknown[] = Array.isArray(lone.value) ? lone.value : [lone.value ?? ''];
  return values.map((value) => {
    if (typeof value !== 'string') throw new StepError(`${field} must be an address or a list of addresses`);
    return value;
  });
}

function partOfAddress(field: string, value: string): string {
  if (!STRUCTURAL_CHARACTERS.test(value)) return value;
  throw new StepError(`${field}: a variable beside other text must not have one of < > , ; : " ( ) \\`);
}

function parseMailboxes(field: string, text: string): Mailbox[] {
  return addressparser(checkOneLine(field, text)).map((entry) => {
    if (entry.address === undefined) throw new StepError(`${field} must not have a group of addresses`);
    if (!ADDRESS.test(entry.address))
      throw new StepError(`${field}: "${entry.address || entry.name}" is not an address`);
    return { name: entry.name, address: entry.address };
  });
}
