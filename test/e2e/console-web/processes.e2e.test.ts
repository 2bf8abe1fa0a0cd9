import { makeOwner } from '../support/factories';
import { scrollsSideways, seriousFaults } from './support/accessibility';
import { field, LANGUAGES, untilSettled, takePictures, useWebWorld, VIEWPORTS } from './support/web-world';

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

/** A name with a script: a page that showed it as markup would run the script, whose error fails the test. */
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
  expect(await page.title()).toBe(`${texts.title} · Batuta`);
  await page.getByRole('button', { name: texts.add }).first().click();
  await page.getByRole('textbox', { name: texts.name }).fill(HOSTILE_NAME);
  await page.getByRole('button', { name: texts.create }).click();
  await page.getByRole('heading', { name: HOSTILE_NAME, level: 1 }).waitFor();
  await page.goto(`/processes?q=r%24+1`);
  await page.getByRole('link', { name: HOSTILE_NAME }).waitFor();
  expect(await page.getByLabel(texts.search).inputValue()).toBe('r$ 1');
  expect(await seriousFaults(page)).toEqual([]);
});

test('the list of processes has no serious fault and needs no scrolling sideways, wide and narrow, light and dark', async () => {
  const { open, owner } = web();
  const page = await open('/processes', { as: owner });
  await page.getByRole('link', { name: 'Emissão de notas' }).waitFor();
  await takePictures(page, 'processes');
  for (const viewport of Object.values(VIEWPORTS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await untilSettled(page);
      expect(await seriousFaults(page)).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
    }
  }
});
