import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  environmentWithSecrets,
  interpolate,
  readCompose,
  readFurtherCompose,
  variablesIn,
  type Compose,
  type ComposeService,
} from '../support/deployment/compose';
import { composeRules } from '../support/deployment/compose-rules';
import { ROOT, settingProblems } from '../support/deployment/settings';
import * as s from '../support/shape';

type RuleName = keyof typeof composeRules;
type Breakage = [rule: RuleName, what: string, breakIt: (compose: Compose) => void];

test.each(Object.entries(composeRules))('compose keeps the rule: %s', (_name, rule) => {
  expect(rule(readCompose())).toEqual([]);
});

const requiredVariables = [
  ...new Set(
    variablesIn(readCompose())
      .filter((variable) => variable.required)
      .map(({ name }) => name),
  ),
];

test.each(requiredVariables)('compose refuses to start without %s and says so', (missing) => {
  const others = Object.fromEntries(requiredVariables.map((name) => [name, name === missing ? '' : 'x']));
  expect(() => interpolate(readCompose(), others)).toThrow(`required variable ${missing} is missing a value`);
});

function serviceOf(compose: Compose, name: string): ComposeService {
  const service = compose.services[name];
  if (!service) throw new Error(`there is no service ${name}`);
  return service;
}

const evidenceShape = s.exactObject({
  services: s.exactObject({
    execution: s.exactObject({
      environment: s.dictionary(s.text()),
      secrets: s.list(s.text()),
      networks: s.list(s.text()),
    }),
  }),
  secrets: s.dictionary(s.exactObject({ file: s.text() })),
});

test('with docker-compose.evidence.yml execution reads the key of a bucket from files, and reaches the bucket', () => {
  const compose = interpolate(readCompose(), {
    OPERATOR_EMAIL: 'x',
    GATEWAY_PUBLIC_URL: 'x',
    EVIDENCE_STORE: 's3',
    EVIDENCE_S3_BUCKET: 'pictures',
  });
  const execution = serviceOf(compose, 'execution');
  const environmentOf = () => environmentWithSecrets(execution);
  expect(settingProblems('dist/apps/execution/main.js', environmentOf()).join()).toContain('EVIDENCE_S3_ACCESS_KEY_ID');

  const further = evidenceShape.parse(readFurtherCompose('docker-compose.evidence.yml'));
  const added = further.services.execution;
  Object.assign(execution.environment, added.environment);
  execution.secrets.push(...added.secrets);
  expect(settingProblems('dist/apps/execution/main.js', environmentOf())).toEqual([]);
  expect(environmentOf()).toMatchObject({ EVIDENCE_S3_SECRET_ACCESS_KEY: 'sample-evidence_s3_secret_access_key' });
  expect(further.secrets).toEqual(
    Object.fromEntries(added.secrets.map((name) => [name, { file: `./secrets/${name}` }])),
  );
  expect(added.networks.map((name) => compose.networks[name]?.internal ?? false)).toEqual([false]);
});

const BREAKAGES: Breakage[] = [
  ['lockedDown', 'a service runs as root', (compose) => (serviceOf(compose, 'nats').user = '0:0')],
  ['lockedDown', 'a service runs as the user of its image', (compose) => delete serviceOf(compose, 'mariadb').user],
  ['lockedDown', 'a service may write everywhere', (compose) => delete serviceOf(compose, 'router').read_only],
  ['lockedDown', 'a service keeps capabilities', (compose) => (serviceOf(compose, 'migrate').cap_drop = [])],
  ['lockedDown', 'a service may gain privileges', (compose) => (serviceOf(compose, 'agent').security_opt = [])],
  ['resources', 'a service has no limits', (compose) => delete serviceOf(compose, 'migrate').deploy],
  [
    'resources',
    'NATS does not know the limit of its memory',
    (compose) => delete serviceOf(compose, 'nats').environment['GOMEMLIMIT'],
  ],
  ['resources', 'a log grows without end', (compose) => delete serviceOf(compose, 'agent').logging],
  ['images', 'an image is not pinned', (compose) => (serviceOf(compose, 'nats').image = 'nats:latest')],
  [
    'images',
    'a command is misspelt',
    (compose) => (serviceOf(compose, 'agent').command = ['node', 'dist/apps/agnet/main.js']),
  ],
  ['everyService', 'a service is forgotten', (compose) => delete compose.services['console']],
  [
    'everyService',
    'a service runs the program of another',
    (compose) => (serviceOf(compose, 'console').command = serviceOf(compose, 'router').command),
  ],
  ['health', 'a service has no health check', (compose) => delete serviceOf(compose, 'mariadb').healthcheck],
  [
    'health',
    'a program without a port has the health check of the image',
    (compose) => delete serviceOf(compose, 'migrate').healthcheck,
  ],
  [
    'health',
    'a health check asks another port',
    (compose) => (serviceOf(compose, 'router').healthcheck = serviceOf(compose, 'nats').healthcheck),
  ],
  ['startOrder', 'no service migrates the database', (compose) => delete compose.services['migrate']],
  [
    'startOrder',
    'two services migrate the database',
    (compose) => (compose.services['again'] = serviceOf(compose, 'migrate')),
  ],
  [
    'startOrder',
    'a service does not wait for the schema',
    (compose) => delete serviceOf(compose, 'console').depends_on['migrate'],
  ],
  ['startOrder', 'a service does not wait for NATS', (compose) => (serviceOf(compose, 'router').depends_on = {})],
  ['startOrder', 'the migration waits for nothing', (compose) => (serviceOf(compose, 'migrate').depends_on = {})],
  ['startOrder', 'the migration never ends', (compose) => (serviceOf(compose, 'migrate').restart = 'always')],
  ['restarts', 'an agent is away after a restart', (compose) => (serviceOf(compose, 'agent').restart = 'on-failure:5')],
  [
    'settings',
    'a required setting is missing',
    (compose) => delete serviceOf(compose, 'console').environment['OPERATOR_EMAIL'],
  ],
  ['settings', 'a setting is unknown', (compose) => (serviceOf(compose, 'agent').environment['AGENT_URL'] = 'x')],
  ['settings', 'a setting is refused', (compose) => (serviceOf(compose, 'gateway').environment['PORT'] = 'http')],
  [
    'secrets',
    'a password is written out',
    (compose) => (serviceOf(compose, 'nats').environment['NATS_PASSWORD'] = 'opensesame'),
  ],
  [
    'secrets',
    'a URL carries its password',
    (compose) => (serviceOf(compose, 'router').environment['NATS_URL'] = 'nats://router:opensesame@nats:4222'),
  ],
  ['secretFiles', 'a secret is missing', (compose) => delete compose.secrets['SECRET_KEYS']],
  ['secretFiles', 'a secret is in another file', (compose) => (compose.secrets['SECRET_KEYS'] = { file: './.env' })],
  ['secretFiles', 'a service lacks the file', (compose) => (serviceOf(compose, 'webhook').secrets = [])],
  [
    'secretFiles',
    'a service has a secret that it does not read',
    (compose) => serviceOf(compose, 'gateway').secrets.push('SECRET_KEYS'),
  ],
  [
    'settingsFiles',
    'the settings of a service cannot be set',
    (compose) => (serviceOf(compose, 'router').env_file = []),
  ],
  [
    'settingsFiles',
    'a file of settings must exist',
    (compose) =>
      (serviceOf(compose, 'router').env_file = ['settings.env', 'settings.router.env'].map((path) => ({
        path,
        required: true,
      }))),
  ],
  [
    'variables',
    'a variable is not documented',
    (compose) => (serviceOf(compose, 'nats').image = '${NATS_IMAGE:-nats:2.10}'),
  ],
  ['variables', 'a documented variable is not used', (compose) => (serviceOf(compose, 'router').ports = [])],
  [
    'variables',
    'a variable of one profile is required without the profile',
    (compose) => (serviceOf(compose, 'agent').environment['BATUTA_AGENT_NAME'] = '${AGENT_NAME:?needed}'),
  ],
  [
    'variables',
    'a variable that must be filled in is not required',
    (compose) => (serviceOf(compose, 'console').environment['OPERATOR_EMAIL'] = '${OPERATOR_EMAIL:-}'),
  ],
  [
    'exposure',
    'the database is published',
    (compose) => (serviceOf(compose, 'mariadb').ports = ['127.0.0.1:3306:3306']),
  ],
  ['exposure', 'the internal network is open', (compose) => (compose.networks['inside'] = null)],
  [
    'exposure',
    'a service is open to other machines',
    (compose) => (serviceOf(compose, 'gateway').ports = ['8080:8080']),
  ],
  [
    'exposure',
    'a published port leads nowhere',
    (compose) => (serviceOf(compose, 'gateway').ports = ['127.0.0.1:80:80']),
  ],
  ['exposure', 'events are not sent', (compose) => (serviceOf(compose, 'webhook').networks = ['inside'])],
  ['exposure', 'the way out is shared', (compose) => serviceOf(compose, 'execution').networks.push('outside')],
  ['exposure', 'a service cannot reach another', (compose) => (serviceOf(compose, 'gateway').networks = ['edge'])],
  [
    'exposure',
    'an address is wrong',
    (compose) => (serviceOf(compose, 'agent').environment['BATUTA_ROUTER_URL'] = 'http://router'),
  ],
  ['exposure', 'a network is unknown', (compose) => (serviceOf(compose, 'agent').networks = ['egde', 'edge'])],
  [
    'volumes',
    'a mounted file is not there',
    (compose) => (serviceOf(compose, 'nats').volumes = ['./nats.conf:/etc/nats.conf:ro']),
  ],
  [
    'volumes',
    'a mounted file may be written',
    (compose) => (serviceOf(compose, 'nats').volumes = ['./k8s/base/nats.conf:/a']),
  ],
  ['volumes', 'a volume is not declared', (compose) => (compose.volumes = {})],
];

test.each(BREAKAGES)('the rule %s for compose detects that %s', (rule, _what, breakIt) => {
  // Services that use one YAML anchor share an object; the copy lets a breakage change a single service.
  const compose: Compose = JSON.parse(JSON.stringify(readCompose()));
  breakIt(compose);
  expect(composeRules[rule](compose)).not.toEqual([]);
});

test('every rule for compose has a test in which it fails', () => {
  const broken = new Set<string>(BREAKAGES.map(([rule]) => rule));
  expect(Object.keys(composeRules).filter((rule) => !broken.has(rule))).toEqual([]);
});

/** The commands of docs/deployment.md that create the secrets and `.env`, up to the first command that needs Docker. */
function commandsOfDocument(): string {
  const document = readFileSync(join(ROOT, 'docs', 'deployment.md'), 'utf8');
  const [, block = ''] = /## Compose\n[^]*?```sh\n([^]*?)```/.exec(document) ?? [];
  return block.slice(0, block.indexOf('docker compose'));
}

test('the documented commands for compose make every secret and `.env`, and repeated they make only what is missing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-compose-'));
  const run = () => promisify(execFile)('sh', ['-e', '-c', commandsOfDocument()], { cwd: folder });
  const secrets = () =>
    Object.fromEntries(
      readdirSync(join(folder, 'secrets')).map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8')]),
    );
  try {
    await copyFile(join(ROOT, '.env.example'), join(folder, '.env.example'));
    await run();
    const made = secrets();
    const ofCompose = Object.keys(readCompose().secrets).filter((name) => name !== 'AGENT_KEY');
    expect(Object.keys(made).toSorted()).toEqual(ofCompose.toSorted());
    for (const name of ofCompose) expect(statSync(join(folder, 'secrets', name)).mode & 0o777).toBe(0o444);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    const lines = readFileSync(join(folder, '.env'), 'utf8').split('\n');
    for (const name of requiredVariables) expect(lines).toContainEqual(expect.stringMatching(`^${name}=.+`));

    await rm(join(folder, 'secrets', 'NATS_ROUTER_PASSWORD'));
    await writeFile(join(folder, '.env'), 'OPERATOR_EMAIL=ana@example.com\n');
    await run();
    const { NATS_ROUTER_PASSWORD: before, ...kept } = made;
    expect(secrets()).toEqual({ ...kept, NATS_ROUTER_PASSWORD: expect.not.stringMatching(before ?? '') });
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('OPERATOR_EMAIL=ana@example.com\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('an upgrade of compose restarts the services that read their settings from a file of the checkout', () => {
  const document = readFileSync(join(ROOT, 'docs', 'deployment.md'), 'utf8');
  const [, restarted = ''] =
    /`docker compose restart ([\w ]+)`/.exec(document.split('### Upgrading with compose')[1] ?? '') ?? [];
  const withFiles = Object.entries(readCompose().services).filter(([, { volumes }]) =>
    volumes.some((volume) => volume.startsWith('./')),
  );
  expect(restarted.split(' ').toSorted()).toEqual(withFiles.map(([name]) => name).toSorted());
});
