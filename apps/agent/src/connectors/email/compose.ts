import { renderHtml, renderText, type StepOf, type ReadableVariables } from '@batuta/flow';
import type MailComposer from 'nodemailer/lib/mail-composer';
import { StepError } from '../../step-error';
import { mailboxesOf, checkOneLine, type Mailbox } from './addresses';

export type MessageFields = NonNullable<ConstructorParameters<typeof MailComposer>[0]>;

export interface Attachment {
  filename: string;
  contentType: string;
  content: Buffer;
}

/** Identifies one execution of a step. */
export interface MessageIdentity {
  instanceID: string;
  execSteps: number;
}

const MAX_RECIPIENTS = 100;
const HEADER_NAME = /^[A-Za-z0-9-]{1,100}$/;
/**
 * Headers that an author may not set: a field of the step sets them, they describe the body, or only servers write
 * them.
 */
const REFUSED_HEADER =
  /^(from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|received|return-path|dkim-signature)$/i;

/** Fills in the fields of an e-mail step: values for people, thus Moeda in Brazilian form (contract 2.6). */
export function messageFields(
  step: StepOf<'email'>,
  variables: ReadableVariables,
  attachments: Attachment[],
  identity: MessageIdentity,
): MessageFields {
  const mailboxes = (field: 'to' | 'cc' | 'bcc' | 'replyTo') => mailboxesOf(field, step[field] ?? [], variables);
  const [from, ...others] = mailboxesOf('from', step.from, variables);
  if (!from || others.length > 0) throw new StepError('from must be one address');
  const recipients = { to: mailboxes('to'), cc: mailboxes('cc'), bcc: mailboxes('bcc') };
  checkRecipients(recipients);
  return {
    from,
    ...recipients,
    replyTo: mailboxes('replyTo'),
    subject: checkOneLine('subject', renderText(step.subject, variables, 'person')),
    ...(step.text !== undefined && { text: renderText(step.text, variables, 'person') }),
    ...(step.html !== undefined && { html: renderHtml(step.html, variables) }),
    headers: headersOf(step, variables),
    attachments,
    messageId: messageID(identity, from),
    newline: 'win',
    // nodemailer must not read a file or an address that a value names.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function checkRecipients(recipients: Record<string, Mailbox[]>): void {
  const count = Object.values(recipients).flat().length;
  if (count === 0) throw new StepError('to has no address');
  if (count > MAX_RECIPIENTS)
    throw new StepError(`to, cc and bcc together must have at most ${MAX_RECIPIENTS} addresses`);
}

function headersOf(step: StepOf<'email'>, variables: ReadableVariables): Record<string, string> {
  const headers = Object.entries(step.headers ?? {}).map(([name, template]) => {
    if (!HEADER_NAME.test(name)) throw new StepError(`headers: "${name}" is not the name of a header`);
    if (REFUSED_HEADER.test(name)) throw new StepError(`headers: ${name} is set by the step's own fields`);
    return [name, checkOneLine(`headers: ${name}`, renderText(template, variables, 'person'))];
  });
  return Object.fromEntries(headers);
}

/**
 * Message-ID: equal for each repeated sending of one step execution, so that receivers recognize the second message as
 * a duplicate.
 */
function messageID({ instanceID, execSteps }: MessageIdentity, from: Mailbox): string {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return `<${instanceID}.${execSteps}@${/^[a-z0-9.-]+$/i.test(domain) ? domain : 'batuta.invalid'}>`;
}
