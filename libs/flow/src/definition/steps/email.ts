import { FLOW_LIMITS, list, text } from '../schema-parts';
import { stepSchema, type StepTypeFacts } from '../step-facts';

const facts = {
  category: 'Messages',
  ability: null,
  result: 'any',
  parts: [],
  connector: ['messageId', 'accepted', 'rejected'],
  references: {
    server: 'text',
    from: 'text',
    to: 'text',
    subject: 'text',
    text: 'text',
    html: 'text',
    attachments: 'text',
  },
} as const satisfies StepTypeFacts;

/** Typed without details: derived types would otherwise repeat the email step for every combination of its fields. */
const TEXT_OR_HTML: object = {
  description: 'needs a text or an html',
  anyOf: [{ required: ['text'] }, { required: ['html'] }],
};

/** Sends a message through a mail server. */
export const email = {
  facts,
  schema: {
    ...stepSchema('email', facts, ['server', 'from', 'to', 'subject'], {
      server: text(4000, 1),
      from: text(1000, 1),
      to: {
        description: 'must be an address or a list of addresses',
        anyOf: [text(4000, 1), { ...list(text(1000, 1), 100), minItems: 1 }],
      },
      subject: text(1000),
      text: text(FLOW_LIMITS.text),
      html: text(FLOW_LIMITS.text),
      attachments: list(text(4000, 1), 50),
    }),
    ...TEXT_OR_HTML,
  },
};
