import { FLOW_LIMITS, integer, list, text } from '../schema-parts';
import { stepSchema, type StepTypeFacts } from '../step-facts';

const MAX_PARAMS = 1000;
const MAX_STATEMENTS = 100;
const MAX_ROWS = 100_000;

const facts = {
  category: 'Data',
  ability: 'database',
  result: 'any',
  parts: [],
  connector: ['affectedRows', 'rowCount', 'insertId'],
  references: { connection: 'text', sql: 'text', params: 'text', statements: 'text' },
} as const satisfies StepTypeFacts;

const statementFields = {
  /** Each `{name}` becomes a parameter; the driver binds it. */
  sql: text(FLOW_LIMITS.code, 1),
  /** Values of positional placeholders; a text that is one `{var}` keeps the type of its value. */
  params: list({}, MAX_PARAMS),
} as const;

/** Typed without details, as in the email step. */
const SQL_OR_STATEMENTS: object = {
  description: 'needs an sql or statements, not both',
  anyOf: [{ required: ['sql'] }, { required: ['statements'] }],
  not: { required: ['statements'], anyOf: [{ required: ['sql'] }, { required: ['params'] }] },
};

/** Runs SQL on a database server. */
export const database = {
  facts,
  schema: {
    ...stepSchema('database', facts, ['connection'], {
      /** A URL such as `postgres://user:password@host:5432/name`, usually `{vault.KEY}`. */
      connection: text(4000, 1),
      ...statementFields,
      /** Several statements on one connection, in this order. */
      statements: {
        ...list(
          { type: 'object', properties: statementFields, required: ['sql'], additionalProperties: false },
          MAX_STATEMENTS,
        ),
        minItems: 1,
      },
      /** All statements of the step take effect, or none. */
      transaction: { type: 'boolean' },
      timeoutSeconds: integer(1, FLOW_LIMITS.timeoutSeconds),
      maxRows: integer(1, MAX_ROWS),
    }),
    ...SQL_OR_STATEMENTS,
  },
};
