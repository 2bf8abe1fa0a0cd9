import { FLOW_LIMITS, integer, list, text } from '../schema-parts';
import { stepSchema, type StepTypeFacts } from '../step-facts';

const facts = {
  category: 'Messages',
  ability: 'email',
  result: ['messageId', 'accepted', 'rejected'],
  parts: [],
  connector: ['messageId', 'accepted', 'rejected'],
  references: {
    server: 'text',
    from: 'text',
    to: 'text',
    cc: 'text',
    bcc: 'text',
    replyTo: 'text',
    subject: 'text',
    text: 'text',
    html: 'text',
    headers: 'text',
    attachments: 'text',
  },
} as const satisfies StepTypeFacts;

/** Typed without details: derived types would otherwise repeat the email step for every combination of its fields. */
const TEXT_OR_HTML: object = {
  description: 'needs a text or an html',
  anyOf: [{ required: ['text'] }, { required: ['html'] }],
};

const ADDRESSES = {
  description: 'must be an address or a list of addresses',
  anyOf: [text(4000, 1), { ...list(text(1000, 1), 100), minItems: 1 }],
} as const;

/** Sends a message through a mail server. */
export const email = {
  facts,
  schema: {
    ...stepSchema('email', facts, ['server', 'from', 'to', 'subject'], {
      server: text(4000, 1),
      from: text(1000, 1),
      to: ADDRESSES,
      cc: ADDRESSES,
      bcc: ADDRESSES,
      replyTo: ADDRESSES,
      subject: text(1000),
      text: text(FLOW_LIMITS.text),
      html: text(FLOW_LIMITS.text),
      headers: { type: 'object', maxProperties: 50, additionalProperties: text(1000) },
      /** References to files, such as `{reply.FILE}`. */
      attachments: list(text(4000, 1), 50),
      timeoutSeconds: integer(1, FLOW_LIMITS.timeoutSeconds),
      retries: integer(0, FLOW_LIMITS.retries),
    }),
    ...TEXT_OR_HTML,
  },
};
