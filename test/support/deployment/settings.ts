import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSettings, readSettings } from '@batuta/config';
import { readAgentConfig } from '../../../apps/agent/src/config';
import { readConsoleConfig } from '../../../apps/console/src/config';
import { readExecutionConfig } from '../../../apps/execution/src/config';
import { readGatewayConfig } from '../../../apps/gateway/src/config';
import { readRouterConfig } from '../../../apps/router/src/config';
import { readScheduleConfig } from '../../../apps/schedule/src/config';
import { readWebhookConfig } from '../../../apps/webhook/src/config';

export const ROOT = join(__dirname, '..', '..', '..');

/** Apps that are not services: the agent, and all services in one process. */
const NO_SERVICES = ['agent', 'all-in-one'];

/** Every service in the source, so that the deployment cannot forget a new one. */
export const SERVICES = readdirSync(join(ROOT, 'apps')).filter((app) => !NO_SERVICES.includes(app));

type Reader = (env: NodeJS.ProcessEnv) => unknown;

const readDatabaseUrl: Reader = (env) => readSettings(DatabaseSettings, env);

/** The function that reads the settings of each program in the image. */
const READERS: Record<string, Reader> = {
  'dist/apps/gateway/main.js': readGatewayConfig,
  'dist/apps/execution/main.js': readExecutionConfig,
  'dist/apps/router/main.js': readRouterConfig,
  'dist/apps/schedule/main.js': readScheduleConfig,
  'dist/apps/webhook/main.js': readWebhookConfig,
  'dist/apps/console/main.js': readConsoleConfig,
  'dist/apps/agent/main.js': readAgentConfig,
  'dist/libs/database/migrate.js': readDatabaseUrl,
  'dist/libs/database/await-schema.js': readDatabaseUrl,
};

/** The problems of these settings for a program: refused, missing or unknown settings. */
export function settingProblems(program: string, env: Record<string, string>): string[] {
  const read = READERS[program];
  if (!read) return [`the settings of ${program} are unknown`];
  const readNames = new Set<string>();
  const watched = new Proxy(env, {
    get(target, name) {
      if (typeof name !== 'string') return undefined;
      readNames.add(name);
      return target[name];
    },
  });
  const unknown = () => Object.keys(env).filter((name) => !readNames.has(name));
  try {
    read(watched);
  } catch (error) {
    return [String(error), ...unknown().map((name) => `${name} is no setting of it`)];
  }
  return unknown().map((name) => `${name} is no setting of it`);
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

/** A valid value for each secret setting; some NATS passwords look like numbers, which NATS could misread. */
export function sampleSecret(name: string): string {
  if (name === 'SECRET_KEYS')
    return `k2:${Buffer.alloc(32, 2).toString('base64')},k1:${Buffer.alloc(32, 1).toString('base64')}`;
  if (name === 'GATEWAY_PUBLIC_URL') return 'https://api.example.com';
  if (name === 'OPERATOR_EMAIL') return 'operator@example.com';
  if (name === 'NATS_ROUTER_PASSWORD') return '712345678901';
  if (name === 'NATS_CONSOLE_PASSWORD') return '7g';
  return `sample-${name.toLowerCase()}`;
}
