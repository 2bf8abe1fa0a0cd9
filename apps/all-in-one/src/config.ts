import { readConsoleConfig } from '../../console/src/config';
import { readExecutionConfig } from '../../execution/src/config';
import { readGatewayConfig } from '../../gateway/src/config';
import { readRouterConfig } from '../../router/src/config';
import { readScheduleConfig } from '../../schedule/src/config';
import { readWebhookConfig } from '../../webhook/src/config';

/** Placeholder for the gateway's own address, which is known only once the gateway listens. */
export const OWN_GATEWAY_PLACEHOLDER = 'http://gateway.invalid';

export type AllInOneConfig = ReturnType<typeof readAllInOneConfig>;

/**
 * Reads the settings of every service, and throws for the first service whose settings are wrong. `GATEWAY_PORT` is the gateway's `PORT`;
 * `PORT` itself is ignored. `GATEWAY_DATABASE_URL` is the gateway's `DATABASE_URL`; without it `DATABASE_URL` counts. Likewise for the others.
 */
export function readAllInOneConfig(env: NodeJS.ProcessEnv) {
  const settingsOf = (service: string): NodeJS.ProcessEnv => ({
    ...env,
    PORT: env[`${service}_PORT`],
    DATABASE_URL: env[`${service}_DATABASE_URL`] || env['DATABASE_URL'],
  });
  return {
    execution: readExecutionConfig(settingsOf('EXECUTION')),
    router: readRouterConfig(settingsOf('ROUTER')),
    schedule: readScheduleConfig(settingsOf('SCHEDULE')),
    webhook: readWebhookConfig(settingsOf('WEBHOOK')),
    console: readConsoleConfig({
      ...settingsOf('CONSOLE'),
      GATEWAY_PUBLIC_URL: env['GATEWAY_PUBLIC_URL'] || OWN_GATEWAY_PLACEHOLDER,
    }),
    gateway: readGatewayConfig(settingsOf('GATEWAY')),
  };
}
