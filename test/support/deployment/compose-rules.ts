import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { interpolated, variablesIn, type Compose, type ComposeService } from './compose';
import { LITERAL_LOGIN, SECRET_NAME } from './environment-rules';
import { isPinned } from './pod-rules';
import { hasSource, programOf, ROOT, sampleSecret, SERVICES, settingProblems } from './settings';

export type ComposeRule = (compose: Compose) => string[];

const MIGRATE = 'dist/libs/database/migrate.js';

const each = (compose: Compose, problemsOf: (service: ComposeService, name: string) => string[]) =>
  Object.entries(compose.services).flatMap(([name, service]) =>
    problemsOf(service, name).map((problem) => `${name}: ${problem}`),
  );

const sampleEnvironment = (compose: Compose) =>
  Object.fromEntries(
    variablesIn(compose)
      .filter(({ required }) => required)
      .map(({ name }) => [name, sampleSecret(name)]),
  );

const isPublic = ({ networks }: Compose, { networks: joined }: ComposeService) =>
  joined.some((name) => networks[name]?.internal !== true);

const lockedDown: ComposeRule = (compose) =>
  each(compose, ({ user, read_only, cap_drop, security_opt }) => [
    ...(/^[1-9]\d*:[1-9]\d*$/.test(user ?? '') ? [] : ['may run as root']),
    ...(read_only ? [] : ['may write to its image']),
    ...(cap_drop.includes('ALL') ? [] : ['keeps capabilities']),
    ...(security_opt.includes('no-new-privileges:true') ? [] : ['may gain privileges']),
  ]);

const resources: ComposeRule = (compose) =>
  each(compose, ({ deploy, logging }) => [
    ...(deploy ? [] : ['takes as much as it wants']),
    ...(logging?.options['max-size'] ? [] : ['fills the disk with its log']),
  ]);

const images: ComposeRule = (compose) =>
  each(interpolated(compose, sampleEnvironment(compose)), ({ image, command }) => {
    const program = programOf(command);
    return [
      ...(isPinned(image) ? [] : [`image ${image} is not pinned`]),
      ...(program === undefined || hasSource(program) ? [] : [`nothing builds ${program}`]),
    ];
  });

const everyService: ComposeRule = ({ services }) =>
  SERVICES.filter((name) => programOf(services[name]?.command) !== `dist/apps/${name}/main.js`);

const health: ComposeRule = (compose) =>
  each(compose, ({ healthcheck, command }, name) => {
    if (!SERVICES.includes(name) && !['mariadb', 'nats'].includes(name)) return [];
    if (!healthcheck) return ['has no health check'];
    const asks = healthcheck.test.join(' ').includes(':8080/health/ready');
    return programOf(command) === undefined || asks ? [] : ['is not asked whether it is ready'];
  });

/** Database and messages first, then the schema, then the services. */
const startOrder: ComposeRule = (compose) => {
  const migrating = Object.entries(compose.services).filter(([, { command }]) => programOf(command) === MIGRATE);
  const [migrate] = migrating;
  if (!migrate || migrating.length > 1) return ['not exactly one service migrates'];
  const [step, { restart, depends_on }] = migrate;
  const wanted = { mariadb: 'service_healthy', nats: 'service_healthy', [step]: 'service_completed_successfully' };
  return [
    ...(restart === 'no' ? [] : [`${step}: starts again after it is done`]),
    ...(depends_on['mariadb']?.condition === 'service_healthy' ? [] : [`${step}: does not wait for the database`]),
    ...each(compose, (service, name) =>
      SERVICES.includes(name)
        ? Object.entries(wanted).flatMap(([part, condition]) =>
            service.depends_on[part]?.condition === condition ? [] : [`does not wait for ${part}`],
          )
        : [],
    ),
  ];
};

const settings: ComposeRule = (compose) =>
  each(interpolated(compose, { ...sampleEnvironment(compose), AGENT_KEY: 'sample' }), ({ command, environment }) => {
    const program = programOf(command);
    return program === undefined ? [] : settingProblems(program, environment);
  });

const secrets: ComposeRule = (compose) =>
  each(compose, ({ environment }) =>
    Object.entries(environment).flatMap(([name, value]) => {
      const literal = SECRET_NAME.test(name) && !/^"?\$\{\w+:[?-][^}]*\}"?$/.test(value);
      return literal || LITERAL_LOGIN.test(value) ? [`${name} is written out`] : [];
    }),
  );

/** `.env.example` names every variable: required ones with an empty value, optional ones in comments. */
const variables: ComposeRule = (compose) => {
  const lines = readFileSync(join(ROOT, '.env.example'), 'utf8').split('\n');
  const named = new Map(lines.flatMap(exampleLine));
  const used = new Map(variablesIn(compose).map(({ name, required }) => [name, required]));
  return [
    ...[...used].flatMap(([name, required]) => {
      const example = named.get(name);
      if (!example) return [`.env.example does not name ${name}`];
      if (example.asked !== required) return [`${name} is ${required ? '' : 'not '}required, and .env.example differs`];
      return required && example.value !== '' ? [`.env.example has a value for ${name}`] : [];
    }),
    ...[...named.keys()].flatMap((name) => (used.has(name) ? [] : [`nothing uses ${name} of .env.example`])),
    ...each(compose, (service) =>
      service.profiles.length === 0
        ? []
        : variablesIn(service).flatMap(({ name, required }) =>
            required ? [`needs ${name} even of those who do not start it`] : [],
          ),
    ),
  ];
};

function exampleLine(line: string): [name: string, example: { asked: boolean; value: string }][] {
  const [, comment, name, value = ''] = /^(# )?([A-Z_]+)=(.*)$/.exec(line) ?? [];
  return name === undefined ? [] : [[name, { asked: comment === undefined, value }]];
}

/** Internal services are on internal networks and publish no port; the other ports are published on the host's loopback. */
const exposure: ComposeRule = (compose) => {
  const rendered = interpolated(compose, sampleEnvironment(compose));
  return each(rendered, (service, name) => {
    const inside = ['mariadb', 'nats', 'migrate', 'execution', 'schedule', 'webhook'].includes(name);
    const unknown = service.networks.filter((network) => !(network in compose.networks));
    return [
      ...unknown.map((network) => `there is no network ${network}`),
      ...(inside && (isPublic(compose, service) || service.ports.length > 0) ? ['can be reached from outside'] : []),
      ...service.ports.flatMap((published) => {
        const [, address, port] = /^([\d.]+):\d+:(\d+)$/.exec(published) ?? [];
        if (address !== '127.0.0.1') return [`${published} is open to other machines`];
        return port === service.environment['PORT'] ? [] : [`${published} leads to a port it does not listen on`];
      }),
      ...addresses(rendered, service),
    ];
  });
};

const PORTS: Record<string, string> = { mariadb: '3306', nats: '4222' };

function addresses({ services }: Compose, { environment, networks }: ComposeService): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!name.endsWith('_URL') || name.endsWith('_PUBLIC_URL')) return [];
    const { hostname, port } = new URL(value);
    const there = services[hostname];
    const listens = there?.environment['PORT'] ?? PORTS[hostname];
    const reached = there?.networks.some((network) => networks.includes(network));
    return reached && listens === port ? [] : [`${name} leads to ${hostname}:${port}, which it does not reach`];
  });
}

const volumes: ComposeRule = (compose) =>
  each(compose, (service) =>
    service.volumes.flatMap((volume) => {
      const [source = '', , mode] = volume.split(':');
      if (!source.startsWith('.')) return source in compose.volumes ? [] : [`there is no volume ${source}`];
      return existsSync(join(ROOT, source)) && mode === 'ro' ? [] : [`${volume} is no file shown to be read only`];
    }),
  );

export const composeRules = {
  lockedDown,
  resources,
  images,
  everyService,
  health,
  startOrder,
  settings,
  secrets,
  variables,
  exposure,
  volumes,
};
