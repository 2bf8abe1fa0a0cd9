import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FLOW_SCHEMA } from './schema';

const CHECKED_IN_SCHEMA_PATH = join(__dirname, '../../../../docs/flow.schema.json');

test('docs/flow.schema.json is the schema that definitions are checked with', () => {
  // docs/flow.md says how to regenerate the file.
  if (process.env.UPDATE_FLOW_SCHEMA) writeFileSync(CHECKED_IN_SCHEMA_PATH, JSON.stringify(FLOW_SCHEMA, null, 2));
  expect(JSON.parse(readFileSync(CHECKED_IN_SCHEMA_PATH, 'utf8'))).toEqual(FLOW_SCHEMA);
});
