import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { GENERATE_COMMANDS } from '../../../scripts/lib/client-types.cjs';

const commands = GENERATE_COMMANDS.map((command) => ({ command, document: path.basename(command[1] ?? '') }));

test.each(commands)('the generated types are those of docs/openapi/$document', ({ command }) => {
  // `npm run openapi` generates them.
  const { status, stderr } = spawnSync(process.execPath, [...command, '--check'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
});
