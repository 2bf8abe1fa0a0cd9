import { statSync } from 'node:fs';
import { join } from 'node:path';
import { untilSettled, useWebWorld } from './support/web-world';

const web = useWebWorld();

const BUILT = join(__dirname, '../../../dist/apps/console-web');
const MAX_SCRIPT_BYTES = 250 * 1024;

test.each(['/', '/processes'])('the first load of %s has at most 250 KB of compressed script', async (path) => {
  const { open, owner } = web();
  const page = await open('/favicon.svg', { as: owner });
  const scripts = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) scripts.add(pathname);
  });
  await page.goto(path);
  await untilSettled(page);
  expect(scripts.size).toBeGreaterThan(0);
  const bytes = [...scripts].map((script) => statSync(join(BUILT, `${script}.gz`)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
});
