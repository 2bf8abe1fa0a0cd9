import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { documentedMetrics } from '../support/operations-document';

// What the pages for people name exists: files, headings, settings and metrics. The root of the repository is the working folder.

const PAGES = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md')];
/** A folder of earlier releases, an option of MariaDB, and a variable of Node: names that the pages use and no code of the repository has. */
const NAMES_FROM_ELSEWHERE = new Set(['k8s/example', 'MASTER_SSL', 'NODE_USE_ENV_PROXY']);
const THIS_FILE = 'test/unit/documentation.test.ts';

const readText = (path: string) => readFileSync(path, 'utf8');
const proseOf = (page: string) => readText(page).replaceAll(/```[^]*?```/g, '');
const codeIn = (page: string) => Array.from(proseOf(page).matchAll(/`([^`]+)`/g), ([, code = '']) => code);

/** The anchor that GitHub gives to a heading. */
function anchorOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}

function hasHeading(page: string, anchor: string): boolean {
  return Array.from(proseOf(page).matchAll(/^#{1,6} (.*)$/gm), ([, text = '']) => anchorOf(text)).includes(anchor);
}

/** Whether the target of a link of the page is a file of the repository and, where it has an anchor, a heading of it. */
function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : relative('.', join(dirname(page), path));
  return existsSync(file) && (anchor === undefined || hasHeading(file, anchor));
}

/** All names with an underscore in the files of the repository that are no pages. */
function namesInCode(): Set<string> {
  const files = execFileSync('git', ['ls-files', '-z', ':!*.md', ':!*.png', ':!package-lock.json', `:!${THIS_FILE}`], {
    encoding: 'utf8',
  });
  const texts = files.split('\0').filter((path) => path !== '' && existsSync(path));
  return new Set(texts.flatMap((path) => readText(path).match(/[A-Za-z]\w*_\w+/g) ?? []));
}

test.each(PAGES)('every link of %s leads to a file, and to a heading where it names one', (page) => {
  const targets = Array.from(proseOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  const internal = targets.filter((target) => !/^https?:/.test(target));
  expect(internal.filter((target) => !leadsSomewhere(page, target))).toEqual([]);
});

test.each(PAGES)('every path that %s names exists', (page) => {
  const paths = codeIn(page).filter((code) => /^(?:apps|libs|k8s|ops|scripts|test|docs|bench)\/[\w./-]+$/.test(code));
  expect(paths.filter((path) => !existsSync(path) && !NAMES_FROM_ELSEWHERE.has(path))).toEqual([]);
});

test.each(PAGES)('every npm script that %s names is in package.json', (page) => {
  const { scripts } = Object(JSON.parse(readText('package.json')));
  const named = Array.from(readText(page).matchAll(/\bnpm run (?:--silent )?([a-z][\w:]*)/g), ([, name = '']) => name);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('every variable in the commands of README.md is set by them or named in the text', () => {
  const commands = Array.from(readText('README.md').matchAll(/```sh\n([^]*?)```/g), ([, block = '']) => block).join(
    '\n',
  );
  const used = commands.match(/(?<=\$)[A-Z][A-Z_]+/g) ?? [];
  const given = new Set([...(commands.match(/\b[A-Z][A-Z_]+(?==)/g) ?? []), ...codeIn('README.md')]);
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => !given.has(name))).toEqual([]);
});

test('docs/api.md names every route of the OpenAPI document', () => {
  const { paths } = Object(JSON.parse(readText('docs/openapi/gateway.json')));
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  const named = new Set(codeIn('docs/api.md').map((route) => route.replace(/\/stop$/, '/:action')));
  expect(routes.length).toBeGreaterThan(10);
  expect(routes.filter((route) => !named.has(route))).toEqual([]);
});

test('every setting, environment variable and error code that a page names is in the code', () => {
  const known = namesInCode();
  const missing = PAGES.flatMap((page) =>
    codeIn(page)
      .flatMap((code) => code.match(/(?<![\w-])[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [])
      .filter((name) => !known.has(name) && !NAMES_FROM_ELSEWHERE.has(name))
      .map((name) => `${page}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('every metric that a page names is in the table of metrics', async () => {
  const known = new Set((await documentedMetrics()).map(({ name }) => name));
  const missing = PAGES.flatMap((page) =>
    codeIn(page)
      .filter((code) => /^(?:batuta|gateway|console)_\w+(?:_total|_seconds|_bytes|_ratio)(?:\{.*\})?$/.test(code))
      .filter((code) => !known.has(code.replace(/\{.*/, '')))
      .map((code) => `${page}: ${code}`),
  );
  expect(missing).toEqual([]);
});
