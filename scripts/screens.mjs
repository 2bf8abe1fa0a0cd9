// npm run screens: pictures of every screen of the console, at both widths, light and dark, in .local/screens.
import { spawnSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBrowser } from './lib/browser.cjs';
import { ROOT } from './lib/find-servers.cjs';
import { ensureServers } from './lib/install-servers.cjs';
import { prepareRuntime } from './lib/prepare-runtime.cjs';

const say = (text) => console.log(text);
const folder = join(ROOT, '.local', 'screens');

await prepareRuntime({ say });
await ensureServers({ say });
await ensureBrowser({ say });
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
// The tests that walk the screens take the pictures.
const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const { status } = spawnSync(
  process.execPath,
  [jest, '--selectProjects=e2e-groups', '--forceExit', '--testPathPatterns=e2e/console-web'],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, BATUTA_SCREENS: folder } },
);
say(`Pictures: ${folder}`);
process.exit(status ?? 1);
