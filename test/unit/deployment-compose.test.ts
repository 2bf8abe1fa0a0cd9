import {
  interpolated,
  readCompose,
  variablesIn,
  type Compose,
  type ComposeService,
} from '../support/deployment/compose';
import { composeRules } from '../support/deployment/compose-rules';

type RuleName = keyof typeof composeRules;
type Breakage = [rule: RuleName, what: string, breakIt: (compose: Compose) => void];

test.each(Object.entries(composeRules))('compose keeps the rule: %s', (_name, rule) => {
  expect(rule(readCompose())).toEqual([]);
});

const required = [
  ...new Set(
    variablesIn(readCompose())
      .filter((variable) => variable.required)
      .map(({ name }) => name),
  ),
];

test.each(required)('compose refuses to start without %s and says so', (missing) => {
  const others = Object.fromEntries(required.map((name) => [name, name === missing ? '' : 'x']));
  expect(() => interpolated(readCompose(), others)).toThrow(`required variable ${missing} is missing a value`);
});

function part(compose: Compose, name: string): ComposeService {
  const service = compose.services[name];
  if (!service) throw new Error(`there is no service ${name}`);
  return service;
}

const BREAKAGES: Breakage[] = [
  ['locked', 'a part runs as root', (compose) => (part(compose, 'nats').user = '0:0')],
  ['locked', 'a part runs as whom its image likes', (compose) => delete part(compose, 'mariadb').user],
  ['locked', 'a part may write everywhere', (compose) => delete part(compose, 'router').read_only],
  ['locked', 'a part keeps capabilities', (compose) => (part(compose, 'migrate').cap_drop = [])],
  ['locked', 'a part may gain privileges', (compose) => (part(compose, 'agent').security_opt = [])],
  ['resources', 'a part has no limits', (compose) => delete part(compose, 'migrate').deploy],
  ['resources', 'a log grows without end', (compose) => delete part(compose, 'agent').logging],
  ['images', 'an image floats', (compose) => (part(compose, 'nats').image = 'nats:latest')],
  [
    'images',
    'a command is misspelt',
    (compose) => (part(compose, 'agent').command = ['node', 'dist/apps/agnet/src/main.js']),
  ],
  ['complete', 'a service is forgotten', (compose) => delete compose.services['console']],
  [
    'complete',
    'a service runs another one',
    (compose) => (part(compose, 'console').command = part(compose, 'router').command),
  ],
  ['health', 'nobody looks after a part', (compose) => delete part(compose, 'mariadb').healthcheck],
  [
    'health',
    'a service is asked at another port',
    (compose) => (part(compose, 'router').healthcheck = part(compose, 'nats').healthcheck),
  ],
  ['order', 'nobody migrates', (compose) => delete compose.services['migrate']],
  ['order', 'two migrate', (compose) => (compose.services['again'] = part(compose, 'migrate'))],
  [
    'order',
    'a service does not wait for the schema',
    (compose) => delete part(compose, 'console').depends_on['migrate'],
  ],
  ['order', 'a service waits for no NATS', (compose) => (part(compose, 'router').depends_on = {})],
  ['order', 'the migration waits for nothing', (compose) => (part(compose, 'migrate').depends_on = {})],
  ['order', 'the migration never ends', (compose) => (part(compose, 'migrate').restart = 'always')],
  [
    'settings',
    'a required setting is missing',
    (compose) => delete part(compose, 'console').environment['OPERATOR_EMAIL'],
  ],
  ['settings', 'a setting is unknown', (compose) => (part(compose, 'agent').environment['AGENT_URL'] = 'x')],
  ['settings', 'a setting is refused', (compose) => (part(compose, 'gateway').environment['PORT'] = 'http')],
  [
    'secrets',
    'a password is written out',
    (compose) => (part(compose, 'nats').environment['NATS_PASSWORD'] = 'opensesame'),
  ],
  [
    'secrets',
    'a URL carries its password',
    (compose) => (part(compose, 'router').environment['NATS_URL'] = 'nats://router:opensesame@nats:4222'),
  ],
  [
    'variables',
    'a variable is not documented',
    (compose) => (part(compose, 'nats').image = '${NATS_IMAGE:-nats:2.10}'),
  ],
  ['variables', 'a documented one is not used', (compose) => (part(compose, 'router').ports = [])],
  [
    'variables',
    'a profile asks everybody for its variable',
    (compose) => (part(compose, 'agent').environment['BATUTA_AGENT_KEY'] = '${SECRET_KEYS:?needed}'),
  ],
  [
    'variables',
    'one that must be filled in is not required',
    (compose) => (part(compose, 'mariadb').environment['MARIADB_ROOT_PASSWORD'] = '${DATABASE_ROOT_PASSWORD:-}'),
  ],
  ['reach', 'the database is published', (compose) => (part(compose, 'mariadb').ports = ['127.0.0.1:3306:3306'])],
  ['reach', 'the inside is open', (compose) => (compose.networks['inside'] = null)],
  ['reach', 'a service is open to other machines', (compose) => (part(compose, 'gateway').ports = ['8080:8080'])],
  ['reach', 'a published port leads nowhere', (compose) => (part(compose, 'gateway').ports = ['127.0.0.1:80:80'])],
  ['reach', 'a part does not reach another', (compose) => (part(compose, 'gateway').networks = ['edge'])],
  [
    'reach',
    'an address is wrong',
    (compose) => (part(compose, 'agent').environment['BATUTA_ROUTER_URL'] = 'http://router'),
  ],
  ['reach', 'a network is unknown', (compose) => (part(compose, 'agent').networks = ['egde', 'edge'])],
  [
    'volumes',
    'a mounted file is not there',
    (compose) => (part(compose, 'nats').volumes = ['./nats.conf:/etc/nats.conf:ro']),
  ],
  [
    'volumes',
    'a mounted file may be written',
    (compose) => (part(compose, 'nats').volumes = ['./k8s/base/nats.conf:/a']),
  ],
  ['volumes', 'a volume is not declared', (compose) => (compose.volumes = {})],
];

test.each(BREAKAGES)('the rule %s detects that %s', (rule, _what, breakIt) => {
  // Anchors make parts share objects; each breakage is for one of them.
  const compose: Compose = JSON.parse(JSON.stringify(readCompose()));
  breakIt(compose);
  expect(composeRules[rule](compose)).not.toEqual([]);
});

test('every rule has a test in which it fails', () => {
  const broken = new Set<string>(BREAKAGES.map(([rule]) => rule));
  expect(Object.keys(composeRules).filter((rule) => !broken.has(rule))).toEqual([]);
});
