import { FLOW_LIMITS, MAPPING_SCHEMA, integerSchema, textSchema } from '../schema-parts';
import { stepSchema, type StepTypeFacts } from '../step-type-facts';

const restFacts = {
  category: 'Web',
  ability: 'rest',
  result: ['status', 'headers', 'body'],
  parts: ['FILE', 'BUFFER', 'OCR'],
  connector: [],
  references: { url: 'text', headers: 'text', body: 'text', form: 'text', file: 'text' },
} as const satisfies StepTypeFacts;

/** Typed as `object`, because the derived type of a step would otherwise be a union with a copy of the step per alternative. */
const AT_MOST_ONE_BODY_SCHEMA: object = {
  description: 'must have only one of body, form and file',
  not: { anyOf: [{ required: ['body', 'form'] }, { required: ['body', 'file'] }, { required: ['form', 'file'] }] },
};
const FILES_ONLY_IN_MULTIPART_SCHEMA: object = {
  description: 'must not have files in the encoding urlencoded',
  not: { properties: { encoding: { const: 'urlencoded' } }, required: ['encoding', 'files'] },
};

/** The step type `rest`, which calls an HTTP service. */
export const restStepType = {
  facts: restFacts,
  schema: {
    ...stepSchema('rest', restFacts, ['method', 'url'], {
      mapping: MAPPING_SCHEMA,
      method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] },
      url: textSchema(4000, 1),
      headers: { type: 'object', maxProperties: 100, additionalProperties: textSchema(8000) },
      body: { description: 'Text, or a JSON value whose texts are templates.' },
      form: {
        type: 'object',
        properties: {
          /** When absent, a form with files is sent as multipart and any other form as urlencoded. */
          encoding: { enum: ['multipart', 'urlencoded'] },
          fields: { type: 'object', maxProperties: 200, additionalProperties: textSchema(FLOW_LIMITS.text) },
          /** References to files, such as `{reply.FILE}`, by the names of their fields. */
          files: { type: 'object', maxProperties: 50, additionalProperties: textSchema(4000, 1) },
        },
        additionalProperties: false,
        ...FILES_ONLY_IN_MULTIPART_SCHEMA,
      },
      /** A reference to the file that is the whole body. */
      file: textSchema(4000, 1),
      /** The body of an answer below 400 becomes a file, whatever its type. */
      download: { type: 'boolean' },
      timeoutSeconds: integerSchema(1, FLOW_LIMITS.timeoutSeconds),
      retries: integerSchema(0, FLOW_LIMITS.retries),
    }),
    ...AT_MOST_ONE_BODY_SCHEMA,
  },
};
