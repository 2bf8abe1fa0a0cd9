import { openTestStore } from '../support/stack/database';
import { makeOwner, makeProcess } from '../support/tenants/factories';
import { instanceOf } from '../support/tenants/instances';
import { until } from '../support/until';
import { findSeriousViolations } from './support/accessibility';
import { useWebWorld } from './support/web-world';

const web = useWebWorld();

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

test('a picture of a run opens in full size with its step and message, and gives the focus back to its thumbnail', async () => {
  const { page, instanceID } = await openRunWithPictures();
  const thumbnail = page.getByRole('button', { name: 'Enlarge picture 2 of step Invoice' });
  await thumbnail.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Invoice', exact: true });
  const picture = dialog.getByRole('img', { name: 'Picture 2 of step Invoice' });
  await until(
    () => picture.evaluate((image) => 'naturalWidth' in image && Number(image.naturalWidth)),
    (width) => width === 1,
  );
  expect(await picture.getAttribute('src')).toBe(`/manage/v1/instances/${instanceID}/evidence/2`);
  await dialog.getByText('the second page', { exact: true }).waitFor();
  expect(await findSeriousViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await thumbnail.and(page.locator(':focus')).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('a picture that arrives after its log line is shown when the user tries again', async () => {
  const { page } = await openRunWithPictures({ missing: '3' });
  const thumbnail = page.getByRole('button', { name: 'Enlarge picture 1 of step Receipt' });
  await page.getByText('The picture has not arrived yet.').waitFor();
  expect(await thumbnail.count()).toBe(0);
  await page.unroute('**/evidence/3');
  await page.getByRole('button', { name: 'Try again' }).click();
  await thumbnail.waitFor();
  const image = thumbnail.locator('img');
  await until(
    () => image.evaluate((shown) => 'naturalWidth' in shown && Number(shown.naturalWidth)),
    (width) => width === 1,
  );
  expect(await page.getByText('The picture has not arrived yet.').count()).toBe(0);
});

/** Opens the page of a run whose log has pictures; `missing` = the id of a picture that has not arrived. */
async function openRunWithPictures({ missing }: { missing?: string } = {}) {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const process = await makeProcess(stack, { owner });
  const instanceID = instanceOf(await process.start());
  const lines = [
    ['Invoice', 'the first page'],
    ['Invoice', 'the second page'],
    ['Receipt', 'all pages'],
  ];
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  await store.write(
    'INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence) VALUES ?',
    [
      lines.map(([step, message], index) => [
        instanceID,
        index + 1,
        new Date(),
        'INFO',
        `Step "${step}": ${message}`,
        step,
        `/v1/instances/${instanceID}/evidence/${index + 1}`,
      ]),
    ],
  );
  await store.close();
  const page = await open('/account', { as: owner, language: 'en' });
  await page.route('**/evidence/*', (route) => route.fulfill({ contentType: 'image/png', body: PIXEL }));
  if (missing !== undefined) await page.route(`**/evidence/${missing}`, (route) => route.fulfill({ status: 404 }));
  await page.goto(`/runs/${instanceID}`);
  return { page, instanceID };
}
