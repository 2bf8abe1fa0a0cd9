import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preProcessFile } from 'typescript';

const ROOT = join(__dirname, '../../..');

/** The names that a file imports, without imports of types, which the build drops. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^(?:import|export) type [^;]*;/gm, '');
  return preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
}

/** The source file of an import, as apps/console-web/vite.config.mts resolves it; undefined for a package or another kind of file. */
function sourceOf(name: string, importer: string): string | undefined {
  const [, library] = /^@batuta\/([\w-]+)$/.exec(name) ?? [];
  const path = library === undefined ? join(importer, '..', name) : join(ROOT, 'libs', library, 'src');
  if (library === undefined && !name.startsWith('.')) return undefined;
  const endings = library === undefined ? ['.ts', '.tsx', '/index.ts'] : ['/browser.ts', '/index.ts'];
  return endings.map((ending) => path + ending).find((file) => existsSync(file));
}

test('no file that the pages of the console load imports a module of Node', () => {
  const files = new Set([join(ROOT, 'apps/console-web/src/main.tsx')]);
  const ofNode: string[] = [];
  for (const file of files) {
    for (const name of importsOf(file)) {
      if (name.startsWith('node:')) ofNode.push(`${file}: ${name}`);
      const source = sourceOf(name, file);
      if (source !== undefined) files.add(source);
    }
  }
  expect(files.size).toBeGreaterThan(200);
  expect([...files]).toContain(join(ROOT, 'libs/async/src/browser.ts'));
  expect(ofNode).toEqual([]);
});
