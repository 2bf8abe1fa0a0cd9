import { makeOwner, makeProcess } from '../support/tenants/factories';
import { useWebWorld } from './support/web-world';

const web = useWebWorld();

test('an environment without an agent looks the same on the home page and in the list of environments', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  await (await makeProcess(stack, { owner })).start();
  const page = await open('/', { as: owner, language: 'en' });
  const look = () => page.locator('.mantine-Badge-root', { hasText: /^Offline$/ }).getAttribute('style');
  const atHome = await look();
  await page.getByRole('link', { name: 'Environments', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Environments', level: 1 }).waitFor();
  expect(await look()).toBe(atHome);
});
