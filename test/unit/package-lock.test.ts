import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/deployment/settings';
import * as s from '../support/shape';

const lockShape = s.object({
  packages: s.dictionary(s.object({ optionalDependencies: s.dictionary(s.text()).optional() })),
});

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/')));

/** The entries of the lock file that `name` may mean for the package at `path`, the nearest first; the root has the path ''. */
function placesOf(name: string, path: string): string[] {
  if (path === '') return [`node_modules/${name}`];
  return [`${path}/node_modules/${name}`, ...placesOf(name, parentOf(path))];
}

// `npm ci` refuses a lock file without them, and on another platform `npm install` may leave them out.
test('the lock file has the optional packages of every locked package, also those of other platforms', async () => {
  const { packages } = lockShape.parse(JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')));
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !placesOf(name, path).some((place) => place in packages))
      .map((name) => `${path || 'batuta'}: ${name}`),
  );
  expect(missing).toEqual([]);
});
