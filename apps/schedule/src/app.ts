import { EnvelopeFilter } from '@batuta/http';
import { natsMicroservice } from '@batuta/messaging';
import { closeServer, limitServer, nestLogger, StopNotice } from '@batuta/observability';
import { openResources } from '@batuta/service';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ScheduleAppModule } from './app.module';
import type { ScheduleConfig } from './config';
import { NominalClock } from './nominal-clock';

/** The schedule service: schedules and their firings. `url` serves health and metrics only. */
export async function createSchedule(
  config: ScheduleConfig,
  clock = NominalClock.fromSetting(config.SCHEDULE_TEST_CLOCK),
): Promise<{ url: string; close(): Promise<void> }> {
  const resources = await openResources('schedule', config, { pipelined: true });
  const app = await NestFactory.create<NestExpressApplication>(ScheduleAppModule.forRoot(config, resources, clock), {
    logger: nestLogger(resources.logger),
    abortOnError: false,
    bodyParser: false,
  });
  app.disable('x-powered-by');
  app.useGlobalFilters(new EnvelopeFilter(resources.logger));
  limitServer(app.getHttpServer(), resources.logger);
  app.connectMicroservice(natsMicroservice(config.NATS_URL, 'schedule'));
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  return {
    url: await app.getUrl(),
    close: async () => {
      await app.get(StopNotice).give(config.STOP_DELAY_MS);
      await closeServer(app);
      await resources.release();
    },
  };
}
