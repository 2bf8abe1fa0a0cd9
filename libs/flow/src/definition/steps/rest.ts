import { FLOW_LIMITS, integer, text } from '../schema-parts';
import { stepSchema, type StepTypeFacts } from '../step-facts';

const facts = {
  category: 'Web',
  ability: 'rest',
  result: ['status', 'headers', 'body'],
  parts: ['FILE', 'BUFFER'],
  connector: [],
  references: { url: 'text', headers: 'text', body: 'text', form: 'text', file: 'text' },
} as const satisfies StepTypeFacts;

/** Typed without details: derived types would otherwise repeat the step for every combination of its fields. */
const ONE_BODY: object = {
  description: 'must have only one of body, form and file',
  not: { anyOf: [{ required: ['body', 'form'] }, { required: ['body', 'file'] }, { required: ['form', 'file'] }] },
};
const FILES_IN_MULTIPART: object = {
  description: 'must not have files in the encoding urlencoded',
  not: { properties: { encoding: { const: 'urlencoded' } }, required: ['encoding', 'files'] },
};

/** Calls an HTTP service. */
export const rest = {
  facts,
  schema: {
    ...stepSchema('rest', facts, ['method', 'url'], {
      method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] },
      url: text(4000, 1),
      headers: { type: 'object', maxProperties: 100, additionalProperties: text(8000) },
      body: { description: 'Text, or a JSON value whose texts are templates.' },
      form: {
        type: 'object',
        properties: {
          /** Absent = multipart with files, else urlencoded. */
          encoding: { enum: ['multipart', 'urlencoded'] },
          fields: { type: 'object', maxProperties: 200, additionalProperties: text(FLOW_LIMITS.text) },
          /** References to files, such as `{reply.FILE}`, by the names of their fields. */
          files: { type: 'object', maxProperties: 50, additionalProperties: text(4000, 1) },
        },
        additionalProperties: false,
        ...FILES_IN_MULTIPART,
      },
      /** A reference to the file that is the whole body. */
      file: text(4000, 1),
      /** The body of a successful answer becomes a file, whatever its type. */
      download: { type: 'boolean' },
      timeoutSeconds: integer(1, FLOW_LIMITS.timeoutSeconds),
      retries: integer(0, FLOW_LIMITS.retries),
    }),
    ...ONE_BODY,
  },
};
