import { FLOW_LIMITS, text } from '../schema-parts';
import { NO_PARTS, stepSchema, type StepTypeFacts } from '../step-facts';

/** The codes a Webhook Response step may set (contract 4.17). */
export const RESPONSE_CODES = [200, 201, 202, 400, 401, 403, 404, 409, 422, 500] as const;

const facts = {
  category: 'Automation',
  ability: 'webhookResponse',
  result: 'none',
  ...NO_PARTS,
  references: { body: 'response' },
} as const satisfies StepTypeFacts;

/** Answers the caller of the process's webhook. */
export const webhookResponse = {
  facts,
  schema: stepSchema('webhookResponse', facts, ['body'], {
    code: { description: 'null or absent = 200', enum: [null, ...RESPONSE_CODES] },
    body: text(FLOW_LIMITS.text, 1),
  }),
};
