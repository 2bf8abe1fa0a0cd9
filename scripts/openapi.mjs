// npm run openapi: writes the files generated from the routes: docs/openapi/*.json and the types in libs/client/src/generated.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT } from './lib/find-servers.cjs';
import { prepareRuntime } from './lib/prepare-runtime.cjs';

await prepareRuntime({ say: (text) => console.log(text) });
// This module resolves a package, so it is imported after the packages are installed.
const { GENERATE_COMMANDS } = await import('./lib/client-types.cjs');
const { resolve } = createRequire(import.meta.url);

function run(args, env = {}) {
  const { status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0) return;
  console.error(`failed: node ${args.join(' ')}`);
  process.exit(1);
}

// Only a running service can describe its routes, so the tests of the documents, which start the services, write the documents.
const jest = join(dirname(resolve('jest/package.json')), 'bin', 'jest.js');
run([jest, '--selectProjects', 'unit', '--testPathPatterns', 'src/openapi/openapi.test'], { UPDATE_OPENAPI: '1' });
run([join(ROOT, 'node_modules', 'oxfmt', 'bin', 'oxfmt'), 'docs/openapi']);
for (const command of GENERATE_COMMANDS) run(command);
console.log('written: docs/openapi, libs/client/src/generated');
