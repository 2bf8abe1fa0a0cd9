import { spawnSync } from 'node:child_process';
import { ensureBrowser } from '../../../scripts/lib/servers.cjs';
import type { BrowserSettings } from '../src/find-browser';

/** For tests: a Chromium. Its sandbox is on where this machine lets users make namespaces; many containers do not. */
export async function testBrowser(): Promise<BrowserSettings> {
  const makesNamespaces = spawnSync('unshare', ['--map-root-user', '--net', 'true']).status === 0;
  return { program: await ensureBrowser(), sandbox: makesNamespaces };
}
