import { FLOW_LIMITS, MAPPING_SCHEMA, integerSchema, listSchema, textSchema } from '../schema-parts';
import { stepSchema, type StepTypeFacts } from '../step-type-facts';

const MAX_PARAMS = 1000;
const MAX_STATEMENTS = 100;
const MAX_ROWS = 100_000;

const databaseFacts = {
  category: 'Data',
  ability: 'database',
  result: 'any',
  parts: [],
  connector: ['affectedRows', 'rowCount', 'insertId'],
  references: { connection: 'text', sql: 'text', params: 'text', statements: 'text' },
} as const satisfies StepTypeFacts;

const statementFields = {
  /** Each `{name}` becomes a parameter; the driver binds it. */
  sql: textSchema(FLOW_LIMITS.code, 1),
  /** Values of positional placeholders; a text that is only `{var}` keeps the type of the variable's value. */
  params: listSchema({}, MAX_PARAMS),
} as const;

/** Typed as `object`, because the derived type of a step would otherwise be a union with a copy of the step per alternative. */
const SQL_OR_STATEMENTS_SCHEMA: object = {
  description: 'needs an sql or statements, not both',
  anyOf: [{ required: ['sql'] }, { required: ['statements'] }],
  not: { required: ['statements'], anyOf: [{ required: ['sql'] }, { required: ['params'] }] },
};

/** The step type `database`, which runs SQL on a database server. */
export const databaseStepType = {
  facts: databaseFacts,
  schema: {
    ...stepSchema('database', databaseFacts, ['connection'], {
      mapping: MAPPING_SCHEMA,
      /** A URL such as `postgres://user:password@host:5432/name`, usually `{vault.KEY}`. */
      connection: textSchema(4000, 1),
      ...statementFields,
      /** Several statements on one connection, in this order. */
      statements: {
        ...listSchema(
          { type: 'object', properties: statementFields, required: ['sql'], additionalProperties: false },
          MAX_STATEMENTS,
        ),
        minItems: 1,
      },
      /** All statements of the step take effect, or none; MySQL and MariaDB commit at a statement such as CREATE TABLE. */
      transaction: { type: 'boolean' },
      /** Of the whole step, with the connection; absent = 30. */
      timeoutSeconds: integerSchema(1, FLOW_LIMITS.timeoutSeconds),
      /** More rows, of all statements together, fail the step; absent = 10,000. */
      maxRows: integerSchema(1, MAX_ROWS),
    }),
    ...SQL_OR_STATEMENTS_SCHEMA,
  },
};
