import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSettings, MigrateSettings, readSettings } from '@batuta/config';
import { readResealSettings } from '../../../libs/secrets/src/reseal';
import { readAgentConfig } from '../../../apps/agent/src/config';
import { readConsoleConfig } from '../../../apps/console/src/config';
import { readExecutionConfig } from '../../../apps/execution/src/config';
import { readGatewayConfig } from '../../../apps/gateway/src/config';
import { readRouterConfig } from '../../../apps/router/src/config';
import { readScheduleConfig } from '../../../apps/schedule/src/config';
import { readWebhookConfig } from '../../../apps/webhook/src/config';

export const ROOT = join(__dirname, '..', '..', '..');

/** Apps that are not services: the agent, the command line, all services in one process, and the pages that the console serves. */
const APPS_WITHOUT_DEPLOYMENT = ['agent', 'all-in-one', 'cli', 'console-web'];

/** Every service in the source, so that the deployment cannot forget a new one. */
export const SERVICES = readdirSync(join(ROOT, 'apps')).filter((app) => !APPS_WITHOUT_DEPLOYMENT.includes(app));

/** Reads the settings of a program from environment variables; throws when one is missing or refused. */
export type SettingsReader = (env: NodeJS.ProcessEnv) => unknown;

/** Variables that Node itself reads from the environment, which are therefore unknown to the readers. */
const SETTINGS_OF_NODE = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

const readDatabaseUrl: SettingsReader = (env) => readSettings(DatabaseSettings, env);

/** The function that reads the settings of each program in the image. */
export const SETTINGS_READERS: Record<string, SettingsReader> = {
  'dist/apps/gateway/main.js': readGatewayConfig,
  'dist/apps/execution/main.js': readExecutionConfig,
  'dist/apps/router/main.js': readRouterConfig,
  'dist/apps/schedule/main.js': readScheduleConfig,
  'dist/apps/webhook/main.js': readWebhookConfig,
  'dist/apps/console/main.js': readConsoleConfig,
  'dist/apps/agent/main.js': readAgentConfig,
  'dist/libs/database/migrate.js': (env) => readSettings(MigrateSettings, env),
  'dist/libs/database/await-schema.js': readDatabaseUrl,
  'dist/libs/secrets/reseal.js': readResealSettings,
};

/** The names of the settings that a reader asks for, whether it then accepts them or throws. */
export function namesReadBy(read: SettingsReader, env: Record<string, string> = {}): Set<string> {
  const { names } = watchReads(read, env);
  return names;
}

function watchReads(read: SettingsReader, env: Record<string, string>): { names: Set<string>; error?: string } {
  const names = new Set<string>();
  const watched = new Proxy(env, {
    get(target, name) {
      if (typeof name !== 'string') return undefined;
      names.add(name);
      return target[name];
    },
  });
  try {
    read(watched);
    return { names };
  } catch (error) {
    return { names, error: String(error) };
  }
}

/** The problems of these settings for a program: refused, missing or unknown settings. */
export function settingProblems(program: string, env: Record<string, string>): string[] {
  const read = SETTINGS_READERS[program];
  if (!read) return [`the settings of ${program} are unknown`];
  const { names, error } = watchReads(read, env);
  const unknown = Object.keys(env).filter((name) => !names.has(name) && !SETTINGS_OF_NODE.includes(name));
  return [...(error === undefined ? [] : [error]), ...unknown.map((name) => `${name} is no setting of it`)];
}

/** The program of the image that a command starts, if it starts one. */
export function programOf(command: string[] | undefined): string | undefined {
  return command?.[0] === 'node' ? command[1] : undefined;
}

/** True when the source of a program exists: `dist/apps/x/main.js` is bundled from `apps/x/src/main.ts`. */
export function hasSource(program: string): boolean {
  const source = /^dist\/(.+)\.js$/.exec(program)?.[1]?.replace(/^\w+\/[^/]+\//, '$&src/');
  return source !== undefined && existsSync(join(ROOT, `${source}.ts`));
}

/** A valid value for each setting that the manifests take from the Secret; some NATS passwords look like numbers, which NATS could misread. */
export function sampleSecret(name: string): string {
  if (name === 'SECRET_KEYS')
    return `k2:${Buffer.alloc(32, 2).toString('base64')},k1:${Buffer.alloc(32, 1).toString('base64')}`;
  if (name === 'GATEWAY_PUBLIC_URL') return 'https://api.example.com';
  if (name === 'OPERATOR_EMAIL') return 'operator@example.com';
  if (name === 'NATS_ROUTER_PASSWORD') return '712345678901';
  if (name === 'NATS_CONSOLE_PASSWORD') return '7g';
  return `sample-${name.toLowerCase()}`;
}
