import * as s from '../../support/shape';
import { makeOwner } from '../support/tenants/factories';
import { until } from '../support/until';
import { findSeriousViolations, scrollsSideways } from './support/accessibility';
import { field, primaryButtons, untilSettled, takePictures, useWebWorld } from './support/web-world';
import { LANGUAGES, VIEWPORTS } from './support/windows';

const web = useWebWorld();

const TEXTS = {
  'pt-BR': {
    title: 'Processos',
    email: 'E-mail',
    password: 'Senha',
    logIn: 'Entrar',
    add: 'Novo processo',
    name: 'Nome',
    create: 'Criar',
    search: 'Buscar pelo nome',
    empty: 'Você ainda não tem processos',
  },
  en: {
    title: 'Processes',
    email: 'E-mail',
    password: 'Password',
    logIn: 'Log in',
    add: 'New process',
    name: 'Name',
    create: 'Create',
    search: 'Search by name',
    empty: 'You have no process yet',
  },
};

/** A name with a script. If a page shows the name as markup, the script runs, and its error fails the test. */
const HOSTILE_NAME = '<img src=x onerror="throw new Error(1)"> & "R$ 1"';

test.each(LANGUAGES)('the owner logs in, finds a process and creates another one, in %s', async (language) => {
  const { open } = web();
  const texts = TEXTS[language];
  const owner = await makeOwner(web().stack);
  const page = await open('/processes', { language });
  await field(page, texts.email).fill(owner.email);
  await field(page, texts.password).fill(owner.password);
  await page.getByRole('button', { name: texts.logIn, exact: true }).click();
  await page.getByRole('heading', { name: texts.title, level: 1 }).waitFor();
  await page.getByText(texts.empty).waitFor();
  await until(
    () => page.title(),
    (title) => title === `${texts.title} · Batuta`,
  );
  await page.getByRole('button', { name: texts.add }).first().click();
  await page.getByRole('textbox', { name: texts.name }).fill(HOSTILE_NAME);
  await page.getByRole('button', { name: texts.create }).click();
  await page.getByRole('heading', { name: HOSTILE_NAME, level: 1 }).waitFor();
  await page.goto(`/processes?q=r%24+1`);
  await page.getByRole('link', { name: HOSTILE_NAME }).waitFor();
  const search = page.getByLabel(texts.search);
  expect(await search.inputValue()).toBe('r$ 1');
  await search.press('Home');
  await search.pressSequentially('img ');
  expect(await search.inputValue()).toBe('img r$ 1');
  await page.waitForURL((url) => url.searchParams.get('q') === 'img r$ 1');
  expect(await findSeriousViolations(page)).toEqual([]);
});

test('the list of processes has no serious violation and needs no scrolling sideways, wide and narrow, light and dark', async () => {
  const { open, owner } = web();
  const page = await open('/processes', { as: owner });
  await page.getByRole('link', { name: 'Emissão de notas' }).waitFor();
  await takePictures(page, 'processes');
  for (const viewport of Object.values(VIEWPORTS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await untilSettled(page);
      expect(await findSeriousViolations(page)).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
    }
  }
});

test('the keyboard reaches the navigation of a phone only while it is open, and a chosen page closes it', async () => {
  const { open, owner } = web();
  const page = await open('/processes', { as: owner, language: 'en', viewport: 'narrow' });
  await page.getByRole('link', { name: 'Emissão de notas' }).waitFor();
  const schedules = page.getByRole('link', { name: 'Schedules', exact: true });
  expect(await schedules.count()).toBe(0);
  await page.getByRole('button', { name: 'Navigation' }).press('Enter');
  await schedules.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  await schedules.waitFor({ state: 'detached' });
  expect(await schedules.count()).toBe(0);
});

test('a list that is being read and a form that is being saved say so, and the form is sent once', async () => {
  const { open, stack } = web();
  const page = await open('/account', { as: await makeOwner(stack), language: 'en' });
  const [list, save] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let sent = 0;
  await page.route(/\/manage\/v1\/processes(\?|$)/, async (route) => {
    const isSave = route.request().method() === 'POST';
    if (isSave) sent += 1;
    await (isSave ? save : list).promise;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Processes' }).click();
  await page.locator('main [role="status"][aria-busy="true"]').waitFor();
  list.resolve();
  await page.getByText('You have no process yet').waitFor();
  expect(await page.locator('main [aria-busy="true"]').count()).toBe(0);

  await page.getByRole('button', { name: 'New process' }).first().click();
  const dialog = page.getByRole('dialog');
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await name.fill('Saved once');
  // A click beside the dialog does not close it.
  await page.mouse.click(5, 5);
  const button = dialog.getByRole('button', { name: 'Create' });
  await button.click();
  await dialog.locator('button[type="submit"][data-loading][aria-disabled="true"]').waitFor();
  await name.press('Enter');
  await button.click({ force: true });
  save.resolve();
  await page.getByRole('heading', { name: 'Saved once', level: 1 }).waitFor();
  expect(sent).toBe(1);
});

test('the primary action on a process that is not published opens its flow', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack);
  const { processID } = s
    .object({ processID: s.text() })
    .parse(await owner.manage('POST', '/processes', { processName: 'Boletos' }));
  const page = await open(`/processes/${processID}`, { as: owner });
  await page.getByRole('link', { name: 'Ver as execuções' }).waitFor();
  const main = page.getByRole('main');
  expect(await primaryButtons(main).allInnerTexts()).toEqual(['Abrir o fluxo']);
  await main.getByRole('link', { name: 'Abrir o fluxo' }).click();
  await page.waitForURL(`**/processes/${processID}/flow`);
});
