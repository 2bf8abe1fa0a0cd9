import { FLOW_LIMITS, MAPPING_SCHEMA, integerSchema, listSchema, textSchema } from '../schema-parts';
import { stepSchema, type StepTypeFacts } from '../step-type-facts';

const emailFacts = {
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

/** Typed as `object`, because the derived type of a step would otherwise be a union with a copy of the step per alternative. */
const TEXT_OR_HTML_SCHEMA: object = {
  description: 'needs a text or an html',
  anyOf: [{ required: ['text'] }, { required: ['html'] }],
};

const ADDRESSES_SCHEMA = {
  description: 'must be an address or a list of addresses',
  anyOf: [textSchema(4000, 1), { ...listSchema(textSchema(1000, 1), 100), minItems: 1 }],
} as const;

/** The step type `email`, which sends a message through a mail server. */
export const emailStepType = {
  facts: emailFacts,
  schema: {
    ...stepSchema('email', emailFacts, ['server', 'from', 'to', 'subject'], {
      mapping: MAPPING_SCHEMA,
      server: textSchema(4000, 1),
      from: textSchema(1000, 1),
      to: ADDRESSES_SCHEMA,
      cc: ADDRESSES_SCHEMA,
      bcc: ADDRESSES_SCHEMA,
      replyTo: ADDRESSES_SCHEMA,
      subject: textSchema(1000),
      text: textSchema(FLOW_LIMITS.text),
      html: textSchema(FLOW_LIMITS.text),
      headers: { type: 'object', maxProperties: 50, additionalProperties: textSchema(1000) },
      /** References to files, such as `{reply.FILE}`. */
      attachments: listSchema(textSchema(4000, 1), 50),
      /** Of one attempt; absent = 30. */
      timeoutSeconds: integerSchema(1, FLOW_LIMITS.timeoutSeconds),
      /** How often an attempt is repeated at most, and only if the message was not handed over; absent = 0. */
      retries: integerSchema(0, FLOW_LIMITS.retries),
    }),
    ...TEXT_OR_HTML_SCHEMA,
  },
};
