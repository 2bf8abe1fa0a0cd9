import { FLOW_LIMITS, textSchema } from '../schema-parts';
import { NO_PARTS, stepSchema, type StepTypeFacts } from '../step-type-facts';

/** The codes a Webhook Response step may set (contract 4.17). */
export const RESPONSE_CODES = [200, 201, 202, 400, 401, 403, 404, 409, 422, 500] as const;

const webhookResponseFacts = {
  category: 'Automation',
  ability: 'webhookResponse',
  result: 'none',
  ...NO_PARTS,
  references: { body: 'response' },
} as const satisfies StepTypeFacts;

/** The step type `webhookResponse`, which answers the caller of the process's webhook. */
export const webhookResponseStepType = {
  facts: webhookResponseFacts,
  schema: stepSchema('webhookResponse', webhookResponseFacts, ['body'], {
    code: { description: 'null or absent = 200', enum: [null, ...RESPONSE_CODES] },
    body: textSchema(FLOW_LIMITS.text, 1),
  }),
};
