import { FLOW_LIMITS, list, text } from '../schema-parts';
import { stepSchema, type StepTypeFacts } from '../step-facts';

const facts = {
  category: 'Data',
  ability: null,
  result: 'any',
  parts: [],
  connector: ['affectedRows', 'rowCount', 'insertId'],
  references: { connection: 'text', sql: 'text', params: 'text' },
} as const satisfies StepTypeFacts;

/** Runs SQL on a database server. */
export const database = {
  facts,
  schema: stepSchema('database', facts, ['connection', 'sql'], {
    connection: text(4000, 1),
    sql: text(FLOW_LIMITS.code, 1),
    /** Bound by the driver, never inserted into the SQL; a text that is one `{var}` keeps the type of its value. */
    params: list({}, 1000),
  }),
};
