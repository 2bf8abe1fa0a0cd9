import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FLOW_SCHEMA } from './schema';

const CHECKED_IN = join(__dirname, '../../../../docs/flow.schema.json');

test('docs/flow.schema.json is the schema that definitions are checked with', () => {
  // docs/flow.md says how to regenerate it.
  if (process.env.UPDATE_FLOW_SCHEMA) writeFileSync(CHECKED_IN, JSON.stringify(FLOW_SCHEMA, null, 2));
  expect(JSON.parse(readFileSync(CHECKED_IN, 'utf8'))).toEqual(FLOW_SCHEMA);
});
