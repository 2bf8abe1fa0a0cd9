import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '../support/stack/service-process';

const ROOT = join(__dirname, '..', '..', '..');
const DIST = join(ROOT, 'dist');

const classesIn = (code: string) => new Set(code.match(/\bclass \w+/g));

test.each(SERVICES)('the stack trace of a fault in %s names TypeScript sources', (service) => {
  const { status, stderr } = spawnSync(process.execPath, [join(DIST, 'apps', service, 'main.js')], {
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`at read\\w+Config \\(${ROOT}/apps/${service}/src/config.ts:\\d+\\)`));
});

// The bundler must keep class names, because Nest, TypeORM, metrics and logs use them.
test.each([...SERVICES, 'all-in-one', 'agent'])('every class has its own name in the bundles of %s', (app) => {
  const programs = globSync('*.js', { cwd: join(DIST, 'apps', app) });
  const bundled = classesIn(programs.map((file) => readFileSync(join(DIST, 'apps', app, file), 'utf8')).join('\n'));
  const own = globSync('**/*.js', { cwd: join(DIST, 'apps', app, 'src') }).flatMap((file) => [
    ...classesIn(readFileSync(join(DIST, 'apps', app, 'src', file), 'utf8')),
  ]);
  expect(own.filter((name) => !bundled.has(name))).toEqual([]);
});

// Node keeps the text of a program in memory; one character beyond Latin-1 doubles it.
test.each([...SERVICES, 'all-in-one', 'agent'])('the bundle of %s is written in ASCII', (app) => {
  const code = readFileSync(join(DIST, 'apps', app, 'main.js'));
  expect(code.findIndex((byte) => byte > 127)).toBe(-1);
});
