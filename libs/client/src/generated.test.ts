import { spawnSync } from 'node:child_process';
import { GENERATE } from '../../../scripts/lib/client-types.cjs';

test('the types of the client are those of docs/openapi/gateway.json', () => {
  // `npm run openapi` generates them.
  const { status, stderr } = spawnSync(process.execPath, [...GENERATE, '--check'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
});
