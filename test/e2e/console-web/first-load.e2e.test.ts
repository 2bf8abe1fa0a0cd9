import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { untilSettled, useWebWorld } from './support/web-world';

const web = useWebWorld();

const BUILT = join(__dirname, '../../../dist/apps/console-web');
const MAX_SCRIPT_BYTES = 250 * 1024;

test.each(['/', '/processes'])('the first load of %s has at most 250 KB of compressed script', async (path) => {
  const { open, owner } = web();
  const page = await open('/favicon.svg', { as: owner });
  const scripts = scriptsOf(page);
  await page.goto(path);
  await untilSettled(page);
  expect(scripts.size).toBeGreaterThan(0);
  const bytes = [...scripts].map((script) => statSync(join(BUILT, `${script}.gz`)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
});

test('a dialog of the list of processes is no part of the first load, and is loaded when its button gets the focus', async () => {
  const { open, owner } = web();
  const page = await open('/favicon.svg', { as: owner, language: 'en' });
  const scripts = scriptsOf(page);
  await page.goto('/processes');
  await untilSettled(page);
  for (const [name, script] of [
    ['New process', /\/add-process-dialog-.*\.js$/],
    ['Import', /\/import-process-.*\.js$/],
  ] as const) {
    expect([...scripts].filter((path) => script.test(path))).toEqual([]);
    const loading = page.waitForRequest(script);
    await page.getByRole('button', { name, exact: true }).focus();
    await loading;
  }
});

/** The paths of the scripts that the page requests from now on. */
function scriptsOf(page: Page): Set<string> {
  const scripts = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) scripts.add(pathname);
  });
  return scripts;
}
