// npm run build: compiles all apps and libs into dist, then bundles each app.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bundle } from './lib/bundle.cjs';
import { ROOT } from './lib/find-servers.cjs';

const nest = join(ROOT, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const { status } = spawnSync(process.execPath, [nest, 'build', '--all'], { cwd: ROOT, stdio: 'inherit' });
if (status !== 0) process.exit(1);
await bundle();
