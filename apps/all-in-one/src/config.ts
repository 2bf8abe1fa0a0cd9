import { readConsoleConfig } from '../../console/src/config';
import { readExecutionConfig } from '../../execution/src/config';
import { readGatewayConfig } from '../../gateway/src/config';
import { readRouterConfig } from '../../router/src/config';
import { readScheduleConfig } from '../../schedule/src/config';

export type AllInOneConfig = ReturnType<typeof readAllInOneConfig>;

/** The settings of every service, each with a port of its own: `GATEWAY_PORT` stands for the gateway's `PORT`. */
export function readAllInOneConfig(env: NodeJS.ProcessEnv) {
  const settingsOf = (service: string): NodeJS.ProcessEnv => ({ ...env, PORT: env[`${service}_PORT`] });
  return {
    execution: readExecutionConfig(settingsOf('EXECUTION')),
    router: readRouterConfig(settingsOf('ROUTER')),
    schedule: readScheduleConfig(settingsOf('SCHEDULE')),
    console: readConsoleConfig(settingsOf('CONSOLE')),
    gateway: readGatewayConfig(settingsOf('GATEWAY')),
  };
}
