import { readFile, writeFile } from 'node:fs/promises';
import { readOperations } from '../support/operations-document';
import { allSettings, settingsOfService, settingsTables } from '../support/settings-document';

const SECTION = /(?<=<!-- settings -->\n\n)[\s\S]*(?=\n\n<!-- \/settings -->)/;

test('the settings in docs/operations.md are those of the classes; UPDATE_SETTINGS=1 writes them', async () => {
  const tables = await settingsTables();
  const document = await readOperations();
  if (process.env['UPDATE_SETTINGS'])
    await writeFile(
      'docs/operations.md',
      document.replace(SECTION, () => tables),
    );
  expect(SECTION.exec(await readOperations())?.[0]).toBe(tables);
});

test('every setting has a description', async () => {
  for (const setting of await allSettings()) expect(setting).toMatchObject({ meaning: expect.stringMatching(/\w/) });
});

test('a setting whose name is that of a secret is marked as a secret', async () => {
  const harmless = [
    'HIDDEN_HEADERS',
    'HEADERS_TIMEOUT_MS',
    'QUOTA_PROCESS_KEYS',
    'QUOTA_VAULT_KEYS',
    'FAILING_KEYS_PER_MINUTE',
    'PASSWORD_RESETS_PER_MINUTE',
  ];
  const telling = /PASSWORD|SECRET|TOKEN|(?<!KEEP_ALIVE_)KEYS?(_|$)|HEADERS/;
  const told = (await allSettings()).filter(({ name }) => telling.test(name) && !harmless.includes(name));
  expect(told.filter(({ secret }) => !secret)).toEqual([]);
  expect(await readFile('docs/operations.md', 'utf8')).not.toMatch(/k1:[A-Za-z0-9+/]{20}/);
});

test('docs/deployment.md has the service and the default of every setting in its table of limits', async () => {
  const [table = ''] = /^\| setting +\| service [^]*?\n\n/m.exec(await readFile('docs/deployment.md', 'utf8')) ?? [];
  const rows = table.matchAll(/^\| `([A-Z_\d]+)` +\| (\w+) +\| ([\d,]+) +\|/gm);
  const limits = Array.from(rows, ([, name, service = '', value]) => ({ service, setting: { name, default: value } }));
  expect(limits.length).toBeGreaterThan(20);
  expect(limits).toHaveLength(table.match(/^\| `/gm)?.length ?? 0);
  for (const { service, setting } of limits)
    expect(await settingsOfService(service)).toContainEqual(expect.objectContaining(setting));
});
