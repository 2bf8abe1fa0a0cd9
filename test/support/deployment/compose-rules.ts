import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  environmentWithSecrets,
  FURTHER_COMPOSE_FILES,
  interpolate,
  readFurtherCompose,
  secretsOf,
  variablesIn,
  type Compose,
  type ComposeService,
} from './compose';
import { LITERAL_LOGIN, SECRET_NAME } from './environment-rules';
import { isPinned, isSoftLimit } from './pod-rules';
import { hasSource, programOf, ROOT, sampleSecret, SERVICES, settingProblems } from './settings';

/** Returns the problems of docker-compose.yml, one line each; none when it follows the rule. */
type ComposeRule = (compose: Compose) => string[];

const MIGRATE_SCRIPT = 'dist/libs/database/migrate.js';

const problemsOfServices = (compose: Compose, problemsOf: (service: ComposeService, name: string) => string[]) =>
  Object.entries(compose.services).flatMap(([name, service]) =>
    problemsOf(service, name).map((problem) => `${name}: ${problem}`),
  );

const sampleEnvironment = (compose: Compose) =>
  Object.fromEntries(
    variablesIn(compose)
      .filter(({ required }) => required)
      .map(({ name }) => [name, sampleSecret(name)]),
  );

const isOnPublicNetwork = ({ networks }: Compose, { networks: joined }: ComposeService) =>
  joined.some((name) => networks[name]?.internal !== true);

/** No service runs as root, gains rights or writes to its image. */
const lockedDownRule: ComposeRule = (compose) =>
  problemsOfServices(compose, ({ user, read_only, cap_drop, security_opt }) => [
    ...(/^[1-9]\d*:[1-9]\d*$/.test(user ?? '') ? [] : ['may run as root']),
    ...(read_only ? [] : ['may write to its image']),
    ...(cap_drop.includes('ALL') ? [] : ['keeps capabilities']),
    ...(security_opt.includes('no-new-privileges:true') ? [] : ['may gain privileges']),
  ]);

/** Every service has limits of memory and processor time, and of the size of its log; the garbage collector of NATS knows that of its memory. */
const resourcesRule: ComposeRule = (compose) =>
  problemsOfServices(compose, ({ deploy, logging, environment }, name) => [
    ...(name !== 'nats' || isSoftLimit(environment['GOMEMLIMIT'], deploy?.resources.limits.memory ?? '')
      ? []
      : ['GOMEMLIMIT does not fit the memory limit']),
    ...(deploy ? [] : ['takes as much as it wants']),
    ...(logging?.options['max-size'] ? [] : ['fills the disk with its log']),
  ]);

/** Every image has a digest or a tag other than latest, and every program is built from a source of this project. */
const imagesRule: ComposeRule = (compose) =>
  problemsOfServices(interpolate(compose, sampleEnvironment(compose)), ({ image, command }) => {
    const program = programOf(command);
    return [
      ...(isPinned(image) ? [] : [`image ${image} is not pinned`]),
      ...(program === undefined || hasSource(program) ? [] : [`nothing builds ${program}`]),
    ];
  });

/** Every service of the source is a service of compose under its own name. The problems are the names of the others. */
const everyServiceRule: ComposeRule = ({ services }) =>
  SERVICES.filter((name) => programOf(services[name]?.command) !== `dist/apps/${name}/main.js`);

/**
 * The health check of the image asks every service of the source whether it is ready; MariaDB and NATS have checks of their own, and any other
 * program, which answers no check, switches it off.
 */
const healthRule: ComposeRule = (compose) =>
  problemsOfServices(compose, ({ healthcheck, command }, name) => {
    if (!SERVICES.includes(name) && !['mariadb', 'nats'].includes(name))
      return healthcheck?.disable ? [] : ['is asked by the health check of the image, which it cannot answer'];
    if (!healthcheck || healthcheck.disable) return ['has no health check'];
    const asks = healthcheck.test.join(' ') === 'CMD node healthcheck.mjs';
    return programOf(command) === undefined || asks ? [] : ['is not asked whether it is ready'];
  });

/** MariaDB and NATS start first, then the migration, then the services. */
const startOrderRule: ComposeRule = (compose) => {
  const migrating = Object.entries(compose.services).filter(([, { command }]) => programOf(command) === MIGRATE_SCRIPT);
  const [migrate] = migrating;
  if (!migrate || migrating.length > 1) return ['not exactly one service migrates'];
  const [step, { restart, depends_on }] = migrate;
  const wanted = { mariadb: 'service_healthy', nats: 'service_healthy', [step]: 'service_completed_successfully' };
  return [
    ...(restart === 'no' ? [] : [`${step}: starts again after it is done`]),
    ...(depends_on['mariadb']?.condition === 'service_healthy' ? [] : [`${step}: does not wait for the database`]),
    ...problemsOfServices(compose, (service, name) =>
      SERVICES.includes(name)
        ? Object.entries(wanted).flatMap(([part, condition]) =>
            service.depends_on[part]?.condition === condition ? [] : [`does not wait for ${part}`],
          )
        : [],
    ),
  ];
};

/** Every program but the migration starts again after its end, and with the machine, unlike one that restarts `on-failure`. */
const restartsRule: ComposeRule = (compose) =>
  problemsOfServices(compose, ({ restart, command }) =>
    restart === 'unless-stopped' || programOf(command) === MIGRATE_SCRIPT ? [] : ['does not start with the machine'],
  );

/** The settings of a service are valid for its program: none is missing, refused or unknown. */
const validSettingsRule: ComposeRule = (compose) =>
  problemsOfServices(interpolate(compose, sampleEnvironment(compose)), (service) => {
    const program = programOf(service.command);
    return program === undefined ? [] : settingProblems(program, environmentWithSecrets(service));
  });

/**
 * No secret is written out in docker-compose.yml: the value of a secret variable is a reference, and no URL has a
 * password.
 */
const secretsRule: ComposeRule = (compose) =>
  problemsOfServices(compose, ({ environment }) =>
    Object.entries(environment).flatMap(([name, value]) => {
      const literal = SECRET_NAME.test(name) && !/^"?\$\{\w+:[?-][^}]*\}"?$/.test(value);
      return literal || LITERAL_LOGIN.test(value) ? [`${name} is written out`] : [];
    }),
  );

/** Every secret is a file of the same name in secrets/, and some service reads it at the path at which compose mounts the file. */
const secretFilesRule: ComposeRule = (compose) => {
  const had = new Set(Object.values(compose.services).flatMap((service) => [...secretsOf(service).values()]));
  return [
    ...Object.entries(compose.secrets).flatMap(([name, { file }]) => [
      ...(file === `./secrets/${name}` ? [] : [`the secret ${name} is in ${file}`]),
      ...(had.has(name) ? [] : [`no service has the secret ${name}`]),
    ]),
    ...[...had].flatMap((name) => (name in compose.secrets ? [] : [`there is no secret ${name}`])),
    ...problemsOfServices(compose, (service) => {
      const files = secretsOf(service);
      const named = Object.entries(service.environment).filter(([name]) => name.endsWith('_FILE'));
      const readByShell = service.command?.join(' ').includes('in /run/secrets/*') ?? false;
      return [
        ...named.flatMap(([name, path]) => (files.has(path) ? [] : [`${name} leads to no secret`])),
        ...[...files].flatMap(([path, secret]) =>
          readByShell || named.some(([, value]) => value === path) ? [] : [`nothing reads ${secret}`],
        ),
      ];
    }),
  ];
};

/** Every service, and nothing else, reads settings of its operator from two files, which need not exist. */
const settingsFilesRule: ComposeRule = (compose) =>
  problemsOfServices(compose, ({ env_file }, name) => {
    const wanted = SERVICES.includes(name) ? `settings.env settings.${name}.env` : '';
    return [
      ...(env_file.map(({ path }) => path).join(' ') === wanted ? [] : ['does not read its files of settings']),
      ...(env_file.some(({ required }) => required) ? ['does not start without a file of settings'] : []),
    ];
  });

/** Variables of compose itself, which no file refers to. */
const VARIABLES_OF_COMPOSE = ['COMPOSE_FILE'];

/** `.env.example` names every variable: required ones with an empty value; optional ones and those of further compose files in comments. */
const variablesRule: ComposeRule = (compose) => {
  const lines = readFileSync(join(ROOT, '.env.example'), 'utf8').split('\n');
  const named = new Map(lines.flatMap(readExampleLine));
  const used = new Map(variablesIn(compose).map(({ name, required }) => [name, required]));
  const further = [
    ...VARIABLES_OF_COMPOSE,
    ...FURTHER_COMPOSE_FILES.flatMap((file) => variablesIn(readFurtherCompose(file)).map(({ name }) => name)),
  ];
  return [
    ...[...used].flatMap(([name, required]) => {
      const example = named.get(name);
      if (!example) return [`.env.example does not name ${name}`];
      if (example.asked !== required) return [`${name} is ${required ? '' : 'not '}required, and .env.example differs`];
      return required && example.value !== '' ? [`.env.example has a value for ${name}`] : [];
    }),
    ...further.flatMap((name) =>
      named.get(name)?.asked === false ? [] : [`.env.example does not name ${name} in a comment`],
    ),
    ...[...named.keys()].flatMap((name) =>
      used.has(name) || further.includes(name) ? [] : [`nothing uses ${name} of .env.example`],
    ),
    ...problemsOfServices(compose, (service) =>
      service.profiles.length === 0
        ? []
        : variablesIn(service).flatMap(({ name, required }) =>
            required ? [`needs ${name} even of those who do not start it`] : [],
          ),
    ),
  ];
};

/** The variable of a line of `.env.example`; `asked` is false for a variable in a comment. Empty for any other line. */
function readExampleLine(line: string): [name: string, example: { asked: boolean; value: string }][] {
  const [, comment, name, value = ''] = /^(# )?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
  return name === undefined ? [] : [[name, { asked: comment === undefined, value }]];
}

/** The network over which the webhook service sends events; nothing else is on it. */
const OUTGOING_NETWORK = 'outside';

/**
 * Internal services are on internal networks and publish no port; only webhook is also on a network with access to the outside, and no other
 * service is on that one. The public services publish their ports on the host's loopback.
 */
const exposureRule: ComposeRule = (compose) => {
  const rendered = interpolate(compose, sampleEnvironment(compose));
  return problemsOfServices(rendered, (service, name) => {
    const inside = ['mariadb', 'nats', 'migrate', 'execution', 'schedule', 'webhook'].includes(name);
    const unknown = service.networks.filter((network) => !(network in compose.networks));
    return [
      ...unknown.map((network) => `there is no network ${network}`),
      ...(name !== 'webhook' && service.networks.includes(OUTGOING_NETWORK)
        ? [`is on the network ${OUTGOING_NETWORK}`]
        : []),
      ...(name === 'webhook' && !service.networks.includes(OUTGOING_NETWORK) ? ['sends no events'] : []),
      ...(inside && (isOnPublicNetwork(compose, withoutOutgoingNetwork(service)) || service.ports.length > 0)
        ? ['can be reached from outside']
        : []),
      ...service.ports.flatMap((published) => {
        const [, address, port] = /^([\d.]+):\d+:(\d+)$/.exec(published) ?? [];
        if (address !== '127.0.0.1') return [`${published} is open to other machines`];
        return port === service.environment['PORT'] ? [] : [`${published} leads to a port it does not listen on`];
      }),
      ...addressesIn(rendered, service),
    ];
  });
};

function withoutOutgoingNetwork(service: ComposeService): ComposeService {
  return { ...service, networks: service.networks.filter((network) => network !== OUTGOING_NETWORK) };
}

const SERVER_PORTS: Record<string, string> = { mariadb: '3306', nats: '4222' };

function addressesIn({ services }: Compose, { environment, networks }: ComposeService): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!name.endsWith('_URL') || name.endsWith('_PUBLIC_URL')) return [];
    const { hostname, port } = new URL(value);
    const there = services[hostname];
    const listens = there?.environment['PORT'] ?? SERVER_PORTS[hostname];
    const reached = there?.networks.some((network) => networks.includes(network));
    return reached && listens === port ? [] : [`${name} leads to ${hostname}:${port}, which it does not reach`];
  });
}

/** Every volume is declared, and every file of the checkout that a service sees exists and is read-only. */
const volumesRule: ComposeRule = (compose) =>
  problemsOfServices(compose, (service) =>
    service.volumes.flatMap((volume) => {
      const [source = '', , mode] = volume.split(':');
      if (!source.startsWith('.')) return source in compose.volumes ? [] : [`there is no volume ${source}`];
      return existsSync(join(ROOT, source)) && mode === 'ro' ? [] : [`${volume} is no file shown to be read only`];
    }),
  );

export const composeRules = {
  lockedDown: lockedDownRule,
  resources: resourcesRule,
  images: imagesRule,
  everyService: everyServiceRule,
  health: healthRule,
  startOrder: startOrderRule,
  restarts: restartsRule,
  settings: validSettingsRule,
  secrets: secretsRule,
  secretFiles: secretFilesRule,
  settingsFiles: settingsFilesRule,
  variables: variablesRule,
  exposure: exposureRule,
  volumes: volumesRule,
};
