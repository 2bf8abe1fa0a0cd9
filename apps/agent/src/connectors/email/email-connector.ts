import { renderText, type StepOf } from '@batuta/flow';
import MailComposer from 'nodemailer/lib/mail-composer';
import { referencedFiles, checkSendable } from '../../execution/files/referenced-files';
import type { Connector, StepContext } from '../connector';
import { withRetries } from '../retries';
import { messageFields, type Attachment, type MessageFields } from './compose';
import { NoRecipientTemporaryError, NoRecipientPermanentError, type EncodedMessage } from './delivery-attempt';
import { readMailServer } from './mail-server';
import { sendOnce } from './send-once';

const DEFAULT_TIMEOUT_SECONDS = 30;

/** The values of `{as}` and `{connector.…}` after an e-mail step. */
interface EmailResult {
  messageId: string;
  accepted: string[];
  rejected: string[];
}

/**
 * Sends one message. An attempt is repeated only when the server certainly did not take the message, so that it never
 * arrives twice.
 */
export const emailConnector: Connector<'email'> = {
  async run(step, execution) {
    const { scope, state, journal, effects, work } = execution;
    const view = scope.fieldView();
    const server = readMailServer(renderText(step.server, view, 'machine'));
    if (server.auth) scope.hide(server.auth.pass);
    const identity = { instanceID: work.instanceID, execSteps: state.execSteps };
    const fields = messageFields(step, view, attachmentsOf(step, execution), identity);
    const message = await encodeMessage({ ...fields, date: new Date(effects.now()) });
    const messageId = fields.messageId ?? '';
    // The result with the message id is set before the delivery: when the delivery's outcome is unknown, a route in
    // `onError` needs the id.
    setResult(step, execution, { messageId, accepted: [], rejected: [] });
    const conditions = {
      signal: effects.control.signal,
      timeoutSeconds: step.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
      hostAccess: effects.hostAccess,
    };
    try {
      const { accepted, rejected, reasons, response } = await withRetries(step.retries ?? 0, execution, () =>
        sendOnce(server, message, conditions),
      );
      setResult(step, execution, { messageId, accepted, rejected });
      if (reasons.length > 0) await journal.warning(`the mail server rejected ${reasons.join('; ')}`);
      await journal.info(`sent ${messageId} to ${accepted.join(', ')}: ${response}`);
    } catch (error) {
      if (error instanceof NoRecipientPermanentError || error instanceof NoRecipientTemporaryError) {
        setResult(step, execution, { messageId, accepted: [], rejected: error.rejected });
      }
      throw error;
    }
  },
};

function setResult({ as }: StepOf<'email'>, { scope }: StepContext, result: EmailResult): void {
  for (const [name, value] of Object.entries(result)) scope.setAutomatic(`connector.${name}`, value, 'open');
  if (as !== undefined) scope.setAutomatic(as, result, 'open');
}

function attachmentsOf({ attachments = [] }: StepOf<'email'>, { scope }: StepContext): Attachment[] {
  const view = scope.fieldView();
  const files = attachments.flatMap((template) => referencedFiles('attachments', template, view, scope.files));
  return checkSendable('attachments', files).map(({ name, contentType, bytes }) => ({
    filename: name,
    contentType,
    content: bytes,
  }));
}

async function encodeMessage(fields: MessageFields): Promise<EncodedMessage> {
  const message = new MailComposer(fields).compile();
  const { from, to } = message.getEnvelope();
  return { envelope: { from, to }, bytes: await message.build() };
}
