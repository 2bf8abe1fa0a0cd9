// npm run build: compiles all apps and libs into dist, bundles each app, and makes the npm package of the agent.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeAgentPackage } from './lib/agent-package.cjs';
import { bundle } from './lib/bundle.cjs';
import { ROOT } from './lib/find-servers.cjs';

const nest = join(ROOT, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const { status } = spawnSync(process.execPath, [nest, 'build', '--all'], { cwd: ROOT, stdio: 'inherit' });
if (status !== 0) process.exit(1);
await bundle();
makeAgentPackage();
