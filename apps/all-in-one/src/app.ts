import { OWN_GATEWAY_PLACEHOLDER, type AllInOneConfig } from './config';
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

interface RunningService {
  url: string;
  close(): Promise<void>;
}

/**
 * Starts every service in this process, first those that others call; `close` stops them in reverse order. When a
 * service cannot start, those that have started are closed. Without GATEWAY_PUBLIC_URL or ROUTER_PUBLIC_URL the
 * console shows the address at which the gateway or the router listens.
 */
export async function createAllInOne(config: AllInOneConfig): Promise<AllInOne> {
  const running: RunningService[] = [];
  const close = async () => {
    for (const service of running.splice(0).toReversed()) await service.close();
  };
  const addService = async (starting: Promise<RunningService>) => {
    const service = await starting;
    running.push(service);
    return service.url;
  };
  try {
    const execution = await addService(createExecution(config.execution));
    const router = await addService(createRouter(config.router));
    const schedule = await addService(createSchedule(config.schedule));
    const webhook = await addService(createWebhook(config.webhook));
    const gateway = await addService(createGateway(config.gateway));
    const console = await addService(createConsole(withAddresses(config.console, { gateway, router })));
    return { urls: { execution, router, schedule, webhook, console, gateway }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function withAddresses(
  config: AllInOneConfig['console'],
  own: { gateway: string; router: string },
): AllInOneConfig['console'] {
  const gateway = config.GATEWAY_PUBLIC_URL === OWN_GATEWAY_PLACEHOLDER ? own.gateway : config.GATEWAY_PUBLIC_URL;
  return { ...config, GATEWAY_PUBLIC_URL: gateway, ROUTER_PUBLIC_URL: config.ROUTER_PUBLIC_URL ?? own.router };
}
