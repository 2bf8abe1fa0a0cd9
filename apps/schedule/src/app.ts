import { openStore } from '@batuta/database';
import { natsMicroservice, Rpc } from '@batuta/messaging';
import { createLogger, Metrics, nestLogger } from '@batuta/observability';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from './app.module';
import { Clock } from './clock';
import type { ScheduleConfig } from './config';
import { BacklogService } from './firing/backlog.service';
import { ClaimService } from './firing/claim.service';
import { SendingService } from './firing/sending.service';
import { ScheduleMetrics } from './metrics';
import { ScheduleService } from './schedules/schedule.service';
import { startSweeps } from './sweeps';

/** The schedule service: schedules and their firing. `url` serves health and metrics only. */
export async function createSchedule(
  config: ScheduleConfig,
  clock = Clock.of(config.SCHEDULE_TEST_CLOCK),
): Promise<{ url: string; close(): Promise<void> }> {
  const logger = createLogger('schedule', config.LOG_LEVEL);
  const store = await openStore({ url: config.DATABASE_URL, pool: config.DATABASE_POOL });
  const rpc = await Rpc.connect(config.NATS_URL, 'schedule').catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const metrics = new Metrics('schedule');
  const figures = new ScheduleMetrics(metrics, store);
  const claims = new ClaimService(store, clock, figures);
  const schedules = new ScheduleService(store, clock, claims);
  const app = await NestFactory.create(ScheduleModule.of({ store, rpc, metrics, schedules }), {
    logger: nestLogger(logger),
    abortOnError: false,
  });
  app.connectMicroservice(natsMicroservice(config.NATS_URL, 'schedule'));
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  const sending = new SendingService(store, rpc, clock, figures);
  const backlog = new BacklogService(store, figures);
  const sweeps = startSweeps({ store, config, claims, sending, backlog }, logger);
  return {
    url: await app.getUrl(),
    close: async () => {
      await sweeps.stop();
      await app.close();
      await rpc.close();
      await store.close();
      metrics.close();
    },
  };
}
