import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOnFreePort } from '../../support/web-server';
import { SERVICES } from '../support/stack/service-process';

const ROOT = join(__dirname, '..', '..', '..');
const DIST = join(ROOT, 'dist');

const KEEP_COMPILED = join(ROOT, 'scripts', 'lib', 'keep-compiled.cjs');
/** The apps for which the build keeps the functions that V8 has compiled (`main.compiled`). */
const COMPILED_APPS = [...SERVICES, 'all-in-one'];
const OTHER_PROGRAMS = ['libs/database/migrate.js', 'libs/database/await-schema.js', 'libs/secrets/reseal.js'];
const PROGRAMS = [...COMPILED_APPS.map((app) => `apps/${app}/main.js`), ...OTHER_PROGRAMS];
/** The flags of Node in the image, with which V8 must take the functions that the build has compiled. */
const IMAGE_FLAGS = ['--max-semi-space-size=8', '--v8-pool-size=1'];
const PRINTING_BUNDLE = 'console.error("the bundle runs");';
/** A module that makes Node report another kind of processor. */
const OTHER_PROCESSOR = 'data:text/javascript,Object.defineProperty(process, "arch", { value: "other" })';
/** Prints whether V8 takes the compiled functions of the program that it then loads. */
const PRINT_WHETHER_COMPILED = `
  const vm = require('node:vm');
  let taken = false;
  const { Script } = vm;
  vm.Script = class extends Script {
    constructor(...args) {
      super(...args);
      taken = this.cachedDataRejected === false;
    }
  };
  process.once('exit', () => console.log(taken ? 'taken' : 'refused'));
`;

/** Whether V8 takes the compiled functions of a program. Starts it without settings, so that it ends as soon as its bundle has run. */
function takesCompiledFunctions(main: string, flags: string[] = []): boolean {
  const preload = `data:text/javascript,${encodeURIComponent(`import { createRequire } from 'node:module'; const require = createRequire('file:///'); ${PRINT_WHETHER_COMPILED}`)}`;
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '--import', preload, main], {
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/Settings are wrong|the bundle runs/);
  return stdout.includes('taken');
}

/** Starts a program that waits at its start for a database, which accepts its connection and never answers. */
async function startWithSilentDatabase(program: string, flags: string[] = []) {
  const silent = createServer();
  const port = await listenOnFreePort(silent);
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: `mysql://batuta:batuta@127.0.0.1:${port}/batuta`,
    NATS_URL: 'nats://127.0.0.1:4222',
    GATEWAY_PUBLIC_URL: 'http://127.0.0.1',
    OPERATOR_EMAIL: 'operator@batuta.example',
    OPERATOR_PASSWORD: 'operator-password',
    SECRET_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
  };
  const child = spawn(process.execPath, [...flags, join(DIST, program)], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = once(child, 'close').then(([status, signal]) => {
    silent.close();
    return { status, signal, log };
  });
  return { child, connected: once(silent, 'connection'), ended };
}

const classesIn = (code: string) => new Set(code.match(/\bclass \w+/g));

test.each(COMPILED_APPS)('%s says as one line of its log why it does not start', (app) => {
  const { status, stderr } = spawnSync(process.execPath, [join(DIST, 'apps', app, 'main.js')], {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent' },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({
    level: 60,
    service: app,
    msg: 'the service could not start',
    err: { message: expect.stringMatching(/^Settings are wrong:\n[^]*DATABASE_URL: is missing/) },
  });
});

test.each([
  ['an error that nothing catches', 'throw new Error("broken")'],
  ['a rejection that nothing handles', 'Promise.reject(new Error("broken"))'],
])('a service says as one line of its log that %s ended it', async (_what, fault) => {
  // The handler of SIGTERM shows that `main` has begun.
  const code = `const timer = setInterval(() => { if (process.listenerCount('SIGTERM') > 0) { clearInterval(timer); ${fault} } }, 1)`;
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
  const { ended } = await startWithSilentDatabase('apps/router/main.js', flags);
  const { status, log } = await ended;
  expect(status).toBe(1);
  expect(JSON.parse(log)).toMatchObject({
    level: 60,
    service: 'router',
    msg: 'an error that nothing caught ended the service',
    err: { message: 'broken' },
  });
});

test.each(OTHER_PROGRAMS)('%s says which settings are wrong, and shows no line of its bundle', (program) => {
  const { status, stderr } = spawnSync(process.execPath, [join(DIST, program)], { env: {}, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Error: Settings are wrong:\n[^]*DATABASE_URL: is missing/);
});

// Exit code 143 shows that a handler of the program ended it. Without a handler the signal would end it here too, but not as process 1 of a container.
test.each(PROGRAMS)('%s ends at once on SIGTERM while it waits for the database at its start', async (program) => {
  const { child, connected, ended } = await startWithSilentDatabase(program);
  void connected.then(() => child.kill('SIGTERM'));
  expect(await ended).toEqual({ status: 143, signal: null, log: '' });
});

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
test.each([...COMPILED_APPS.map((app) => `${app}/main.bundle.js`), 'agent/main.js', 'agent/run.js'])(
  'the bundle %s is written in ASCII',
  (file) => {
    const code = readFileSync(join(DIST, 'apps', file));
    expect(code.findIndex((byte) => byte > 127)).toBe(-1);
  },
);

// When V8 refuses the compiled functions, the service still starts, but takes one and a half times the processor time.
test.each(COMPILED_APPS)('V8 takes the functions of %s that the build has compiled', (app) => {
  expect(takesCompiledFunctions(join(DIST, 'apps', app, 'main.js'), IMAGE_FLAGS)).toBe(true);
});

test('a program whose compiled functions are missing, damaged or of another bundle or processor runs without them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-bundle-'));
  try {
    const launcher = join(folder, 'main.js');
    await copyFile(join(DIST, 'apps', 'router', 'main.js'), launcher);
    await writeFile(join(folder, 'main.bundle.js'), PRINTING_BUNDLE);
    const compiled = join(folder, 'main.compiled');
    expect(takesCompiledFunctions(launcher)).toBe(false);
    await copyFile(join(DIST, 'apps', 'router', 'main.compiled'), compiled);
    expect(takesCompiledFunctions(launcher)).toBe(false);
    spawnSync(process.execPath, [KEEP_COMPILED, folder]);
    expect(takesCompiledFunctions(launcher)).toBe(true);
    expect(takesCompiledFunctions(launcher, ['--import', OTHER_PROCESSOR])).toBe(false);
    const bytes = await readFile(compiled);
    // V8 does not check the bytes of the functions and would run damaged ones.
    bytes.subarray(-8).fill(0);
    await writeFile(compiled, bytes);
    expect(takesCompiledFunctions(launcher)).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
