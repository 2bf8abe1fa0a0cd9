import { makeOwner, makeProcess } from '../support/tenants/factories';
import { instanceOf } from '../support/tenants/instances';
import { until } from '../support/until';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { takePictures, useWebWorld } from './support/web-world';

const web = useWebWorld();

test('the history of a process says who did what to its runs, from where, and pages', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const process = await makeProcess(stack, { owner });
  const { processID } = process;
  await owner.manage('PUT', `/processes/${processID}/vault-keys`, { keys: [] });
  const first = instanceOf(await process.start());
  await owner.manage('POST', `/instances/${first}/stop`);
  for (let count = 0; count < 100; count += 1) await owner.manage('POST', `/processes/${processID}/run`, {});

  const page = await open(`/processes/${processID}/history`, { as: owner, language: 'en' });
  const rows = page.getByRole('table', { name: 'History' }).getByRole('row');
  await rows.filter({ hasText: owner.email }).filter({ hasText: 'By hand · Version 1' }).first().waitFor();
  expect(await rows.filter({ hasText: 'Stopped a run' }).count()).toBe(0);
  // The button is disabled while a page is being read, and after the last page it is gone.
  const loadMore = page.getByRole('button', { name: 'Load more', disabled: false });
  const oldest = rows.filter({ hasText: 'Changed the allowed secrets' });
  await loadMore.waitFor();
  while (!(await oldest.isVisible())) {
    const shown = await rows.count();
    await loadMore.click();
    await until(
      () => rows.count(),
      (count) => count > shown,
    );
  }
  await rows.filter({ hasText: 'Stopped a run' }).filter({ hasText: owner.email }).waitFor();
  await rows.filter({ hasText: 'A run has ended' }).getByText('Stopped by somebody').waitFor();
  await rows.filter({ hasText: 'Started a run' }).filter({ hasText: 'API · Version 1' }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await takePictures(page, 'process-history');
  const run = rows.filter({ hasText: 'Stopped a run' }).getByRole('link', { name: 'Open' });
  expect(await run.getAttribute('href')).toBe(`/runs/${first}`);

  await page.getByRole('link', { name: 'Changes of the process' }).click();
  await page.getByRole('row').filter({ hasText: 'Process added' }).getByText('127.0.0.1').waitFor();
});

test('the history of a process without runs says how to get one, and fits a phone', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const page = await open(`/processes/${processID}/history`, { as: owner, viewport: 'narrow' });
  await page.getByText('Nada aconteceu ainda').waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
});
