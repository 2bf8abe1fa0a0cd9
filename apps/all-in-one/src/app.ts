import { OWN_GATEWAY, type AllInOneConfig } from './config';
import { createConsole } from '../../console/src/app';
import { createExecution } from '../../execution/src/app';
import { createGateway } from '../../gateway/src/app';
import { createRouter } from '../../router/src/app';
import { createSchedule } from '../../schedule/src/app';
import { createWebhook } from '../../webhook/src/app';

export interface AllInOne {
  urls: Record<keyof AllInOneConfig, string>;
  close(): Promise<void>;
}

interface Service {
  url: string;
  close(): Promise<void>;
}

/**
 * Every service in this one process, by the same functions that start them alone. Those that others ask come up first
 * and go down last. When one cannot start, those before it are closed again. Where nobody says what webhook URLs begin
 * with, it is the gateway's own address.
 */
export async function createAllInOne(config: AllInOneConfig): Promise<AllInOne> {
  const running: Service[] = [];
  const close = async () => {
    for (const service of running.splice(0).toReversed()) await service.close();
  };
  const keep = async (starting: Promise<Service>) => {
    const service = await starting;
    running.push(service);
    return service.url;
  };
  try {
    const execution = await keep(createExecution(config.execution));
    const router = await keep(createRouter(config.router));
    const schedule = await keep(createSchedule(config.schedule));
    const webhook = await keep(createWebhook(config.webhook));
    const gateway = await keep(createGateway(config.gateway));
    const console = await keep(createConsole(withGateway(config.console, gateway)));
    return { urls: { execution, router, schedule, webhook, console, gateway }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function withGateway(config: AllInOneConfig['console'], gateway: string): AllInOneConfig['console'] {
  return config.GATEWAY_PUBLIC_URL === OWN_GATEWAY ? { ...config, GATEWAY_PUBLIC_URL: gateway } : config;
}
