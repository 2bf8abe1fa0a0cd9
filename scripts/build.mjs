// npm run build: compiles all apps and libs into dist, bundles each app, builds the console's pages, makes the npm
// packages of the agent, the client and the command line, and packs the package of the agent for the console.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeAgentPackage, packAgent } from './lib/agent-package.cjs';
import { bundle } from './lib/bundle.cjs';
import { makeCliPackage } from './lib/cli-package.cjs';
import { makeClientPackage } from './lib/client-package.cjs';
import { ROOT } from './lib/find-servers.cjs';
import { buildWeb } from './lib/web-build.cjs';

const nest = join(ROOT, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const { status } = spawnSync(process.execPath, [nest, 'build', '--all'], { cwd: ROOT, stdio: 'inherit' });
if (status !== 0) process.exit(1);
await bundle();
await buildWeb();
makeAgentPackage();
packAgent();
makeClientPackage();
makeCliPackage();
