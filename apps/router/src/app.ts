import { EnvelopeFilter } from '@batuta/http';
import { natsMicroservice } from '@batuta/messaging';
import { limitServer, nestLogger, StopNotice, type Logger } from '@batuta/observability';
import { openResources, type ServiceResources } from '@batuta/service';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server } from 'node:http';
import { RouterModule } from './app.module';
import type { RouterConfig } from './config';
import { clientAddressReader } from './connections/client-address';
import { UpgradeHandler } from './connections/upgrade-handler';
import { shutDown } from './shutdown';

export interface RunningRouter {
  /** Address of health and metrics; agents connect to it by WebSocket. */
  url: string;
  /**
   * Stops claiming, awaits the reports in flight and sends the agents to other routers. A second call joins the first.
   */
  close(): Promise<void>;
}

/** The service that agents connect to: sessions, presence, dispatch and reports. */
export async function createRouter(config: RouterConfig): Promise<RunningRouter> {
  const resources = await openResources('router', config);
  try {
    const app = await listen(config, resources);
    let closing: Promise<void> | undefined;
    const stop = async () => {
      await app.get(StopNotice).give(config.STOP_DELAY_MS);
      await shutDown(app);
      await resources.release();
    };
    const close = () => (closing ??= stop());
    return { url: await app.getUrl(), close };
  } catch (error) {
    await resources.release();
    throw error;
  }
}

async function listen(config: RouterConfig, resources: ServiceResources): Promise<NestExpressApplication> {
  const { logger } = resources;
  const app = await NestFactory.create<NestExpressApplication>(RouterModule.forRoot(resources, config), {
    logger: nestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  app.connectMicroservice(natsMicroservice(config.NATS_URL, 'router'));
  app.disable('x-powered-by');
  app.set('trust proxy', config.TRUST_PROXY);
  app.useGlobalFilters(new EnvelopeFilter(logger));
  acceptUpgrades(app, logger);
  try {
    await app.startAllMicroservices();
    await app.listen(config.PORT, config.HOST);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

function acceptUpgrades(app: NestExpressApplication, logger: Logger): void {
  const server: Server = app.getHttpServer();
  const addressOf = clientAddressReader(app);
  const handler = app.get(UpgradeHandler);
  limitServer(server, logger);
  server.on('upgrade', (request, socket, head) => handler.upgrade(request, socket, head, addressOf(request)));
}
