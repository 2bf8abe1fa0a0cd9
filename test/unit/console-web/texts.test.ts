import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const SOURCE = join(__dirname, '../../../apps/console-web/src');
const LANGUAGES = ['pt-BR', 'en'] as const;
const PLURAL_END = /_(zero|one|two|few|many|other)$/;

/** The texts of each feature, and of the components that all features share, by language and key. */
const folders = globSync('{features/*,common}/locales', { cwd: SOURCE }).map((folder) => ({
  namespace: basename(dirname(folder)),
  texts: Object.fromEntries(
    LANGUAGES.map((language) => [
      language,
      flatten(JSON.parse(readFileSync(join(SOURCE, folder, `${language}.json`), 'utf8'))),
    ]),
  ),
}));

/** The text keys in the code: whole keys, and the beginnings of keys that the code completes at run time. */
const usedKeys = globSync('**/*.{ts,tsx}', { cwd: SOURCE }).flatMap((file) => keysIn(file));

test.each(folders)('$namespace has the same texts with the same placeholders in every language', ({ texts }) => {
  const [first, ...others] = LANGUAGES.map((language) => shapeOf(texts[language] ?? {}));
  for (const other of others) expect(other).toEqual(first);
  for (const language of LANGUAGES) expect(Object.values(texts[language] ?? {})).not.toContain('');
});

test('every text key in the code has a text', () => {
  const missing = usedKeys.filter(({ namespace, key, isBeginning }) => {
    const known = keysOf(namespace);
    return !known.some((one) => (isBeginning ? one.startsWith(key) : one === key));
  });
  expect(missing).toEqual([]);
});

test.each(folders)('no text of $namespace is unused', ({ namespace }) => {
  const wanted = usedKeys.filter((one) => one.namespace === namespace);
  const unused = keysOf(namespace).filter(
    (known) => !wanted.some(({ key, isBeginning }) => (isBeginning ? known.startsWith(key) : known === key)),
  );
  expect(unused).toEqual([]);
});

test('a debug run has one name on the Portuguese pages, execução de teste', () => {
  const texts = folders.flatMap(({ texts: { 'pt-BR': portuguese = {} } }) => Object.values(portuguese));
  expect(texts.filter((text) => /depura|debug/i.test(text))).toEqual([]);
  expect(texts.filter((text) => /execução de teste/i.test(text)).length).toBeGreaterThan(3);
});

// A form keeps what its checks answer until the next check.
test('every message of a check of a form changes to the language that the user chooses', () => {
  const checks = globSync('**/*.tsx', { cwd: SOURCE }).flatMap((file) =>
    [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/^( *)validate: \{(?:[^\n]*\}|.*?^\1\}),?$/gms)].map(
      ([check]) => ({ file, check }),
    ),
  );
  expect(checks.length).toBeGreaterThan(10);
  expect(checks.filter(({ check }) => /\bt\(/.test(check)).map(({ file }) => file)).toEqual([]);
});

/** Every screen with the texts that load before it. */
const screens = globSync('features/*/routes.tsx', { cwd: SOURCE }).flatMap((file) =>
  [
    ...readFileSync(join(SOURCE, file), 'utf8').matchAll(
      /lazyScreen\(\(\) => import\('(.+)'\), '(\w+)'((?:, '[\w-]+')*)\)/g,
    ),
  ].map(([, path = '', screen = '', texts = '']) => ({
    screen,
    module: join(dirname(file), path),
    loaded: [...texts.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name),
  })),
);

// While a shown screen loads texts, it disappears for a moment, and the user's input in it is lost.
test.each(screens)('all texts of $screen load before it is shown', ({ module, loaded }) => {
  const needed = new Set([...modulesOf(module)].flatMap((file) => namespacesIn(readSource(file) ?? '')));
  needed.delete('common');
  expect(needed.size).toBeGreaterThan(0);
  expect([...needed].filter((name) => !loaded.includes(name))).toEqual([]);
});

/** The module and the modules that it imports statically, directly or indirectly. */
function modulesOf(module: string, found = new Set<string>()): Set<string> {
  const code = found.has(module) ? undefined : readSource(module);
  if (code === undefined) return found;
  found.add(module);
  for (const [, path = ''] of code.matchAll(/^(?:import|export) (?!type)[^;]*? from '(\.[^']*)';/gms)) {
    modulesOf(join(dirname(module), path), found);
  }
  return found;
}

function readSource(module: string): string | undefined {
  const file = ['.tsx', '.ts'].map((end) => join(SOURCE, `${module}${end}`)).find((path) => existsSync(path));
  return file === undefined ? undefined : readFileSync(file, 'utf8');
}

function namespacesIn(code: string): string[] {
  const calls = [...code.matchAll(/useTranslation\(([^)]*)\)/g)].map(([, names = '']) => names);
  const named = calls.flatMap((names) => [...names.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name));
  const ofKeys = [...code.matchAll(/['`]([\w-]+):[\w$]/g)].map(([, name = '']) => name);
  return [...named, ...ofKeys.filter((name) => folders.some(({ namespace }) => namespace === name))];
}

function keysOf(namespace: string): string[] {
  const texts = folders.find((one) => one.namespace === namespace)?.texts['pt-BR'] ?? {};
  return Object.keys(texts).map((key) => key.replace(PLURAL_END, ''));
}

function flatten(node: object, path = ''): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(node).map(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? flatten(value, `${path}${name}.`)
        : { [`${path}${name}`]: String(value) },
    ),
  );
}

/** The keys with the placeholders of their texts. The plural ending of a key is removed, because languages have different plural forms. */
function shapeOf(texts: Record<string, string>): Record<string, string[]> {
  const placeholders = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g))].toSorted();
  return Object.fromEntries(
    Object.entries(texts)
      .map(([key, text]) => [key.replace(PLURAL_END, ''), placeholders(text)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** The keys in calls of the forms `t('key')`, `t('namespace:key')`, `translatedText('namespace:key')` and `t(`beginning.${…}`)`; the default namespace is that of the file's folder. */
function keysIn(file: string): { namespace: string; key: string; isBeginning: boolean }[] {
  const own = /^features\/([^/]+)\//.exec(file)?.[1] ?? 'common';
  const code = readFileSync(join(SOURCE, file), 'utf8');
  const namespaces = [...code.matchAll(/useTranslation\((?:\[)?'([\w-]+)'/g)].map(([, name]) => name ?? own);
  // When the components of a file use two namespaces, a key may belong to either.
  const usesCommon = /useTranslation\(\)/.test(code) || own === 'common';
  const groups = /\bt\(`\$\{/.test(code) ? [...code.matchAll(/'(\w+)'/g)].map(([, word]) => `${word}.`) : [];
  const texts = [
    ...[...code.matchAll(/\b(?:t|translatedText)\(\s*(['"`])((?:(?!\1|\$\{).)+)(\1|\$\{)/g)].map(
      ([, , name = '', end]) => ({
        name,
        isBeginning: end === '${',
      }),
    ),
    // t(condition ? 'one' : 'other')
    ...[...code.matchAll(/\bt\([^'"`)]*\? '([\w.:]+)' : '([\w.:]+)'/g)].flatMap(([, one = '', other = '']) => [
      { name: one, isBeginning: false },
      { name: other, isBeginning: false },
    ]),
  ];
  const known = (namespace: string, key: string) => keysOf(namespace).some((one) => one.startsWith(key));
  const defaults = [...new Set([...namespaces, ...(usesCommon ? ['common'] : [])])];
  return [
    ...texts.map(({ name, isBeginning }) => {
      const [first = '', second] = name.split(':', 2);
      if (second !== undefined) return { namespace: first, key: second, isBeginning };
      return { namespace: defaults.find((one) => known(one, name)) ?? own, key: name, isBeginning };
    }),
    // A group of texts whose name is a word elsewhere in the file: t(`${group}.${…}`).
    ...groups.filter((key) => known(own, key)).map((key) => ({ namespace: own, key, isBeginning: true })),
  ];
}
