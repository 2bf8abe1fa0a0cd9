import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');
const IMPORT_LINE = /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm;

/** The packages that a file loads, directly or through other files and libs of this repository. */
function packagesOf(file: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(file)) return packages;
  seen.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORT_LINE)) {
    const source = sourceFile(file, name);
    if (source) packagesOf(source, seen, packages);
    else packages.add(name);
  }
  return packages;
}

function sourceFile(from: string, name: string): string | undefined {
  const [, lib] = /^@batuta\/(.+)$/.exec(name) ?? [];
  if (lib !== undefined) return join(ROOT, 'libs', lib, 'src/index.ts');
  if (!name.startsWith('.')) return undefined;
  const path = resolve(dirname(from), name);
  return existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts');
}

test('the agent loads no server packages, so that it stays small on customers’ machines', () => {
  const packages = [...packagesOf(join(__dirname, 'main.ts'))].filter((name) => !name.startsWith('node:'));
  expect(packages).toEqual(expect.arrayContaining(['ws', 'pino']));
  expect(packages.filter((name) => /^(@nestjs|typeorm|mysql2|@nats-io|express|prom-client|rxjs)/.test(name))).toEqual(
    [],
  );
});
