// npm run --silent agent -- --url <router> --key <activation key>: runs another reference agent in the foreground.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ensureBuilt } from './lib/build.cjs';
import { ROOT } from './lib/find-servers.cjs';
import { prepareRuntime } from './lib/prepare-runtime.cjs';

const say = (text) => console.error(text);

try {
  await prepareRuntime({ say });
  await ensureBuilt({ say });
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const main = join(ROOT, 'dist', 'apps', 'agent', 'main.js');
process.argv[1] = main;
createRequire(import.meta.url)(main);
