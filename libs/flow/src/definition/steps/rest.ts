import { FLOW_LIMITS, integer, text } from '../schema-parts';
import { NO_PARTS, stepSchema, type StepTypeFacts } from '../step-facts';

const facts = {
  category: 'Web',
  ability: 'rest',
  result: ['status', 'headers', 'body'],
  ...NO_PARTS,
  references: { url: 'text', headers: 'text', body: 'text' },
} as const satisfies StepTypeFacts;

/** Calls an HTTP service. */
export const rest = {
  facts,
  schema: stepSchema('rest', facts, ['method', 'url'], {
    method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] },
    url: text(4000, 1),
    headers: { type: 'object', maxProperties: 100, additionalProperties: text(8000) },
    body: { description: 'Text, or a JSON value whose texts are templates.' },
    timeoutSeconds: integer(1, FLOW_LIMITS.timeoutSeconds),
    retries: integer(0, FLOW_LIMITS.retries),
  }),
};
