import {
  notifications,
  schedule,
  type Firing,
  type FiringPage,
  type SchedulePage,
  type UpcomingTime,
} from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Handles, OnNotification, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const SCHEDULE = {
  id: '01920000-0000-7000-8000-000000000010',
  name: 'Nightly',
  processID: '01920000-0000-7000-8000-000000000002',
  processName: 'Orders',
  cronExpression: '0 3 * * *',
  active: true,
  userName: 'ERP',
  matrix: {},
  environmentID: '',
};
const FIRING: Firing = {
  nominalAt: '2026-11-20T06:00:00.000Z',
  result: 'skipped',
  instanceID: null,
  reason: { code: 'PROCESS_PAUSED', message: 'The process was paused.' },
  settledAt: '2026-11-20T06:00:00.100Z',
};
const TIME: UpcomingTime = { at: '2026-11-21T06:00:00.000Z', local: '2026-11-21T03:00:00-03:00' };

/** Stands in for the schedule service and records the requests. */
@Controller()
export class FakeSchedule {
  static readonly schedule = SCHEDULE;
  static readonly firing = FIRING;
  static readonly time = TIME;

  readonly requests: unknown[] = [];
  readonly deletedProcesses: string[] = [];

  @Handles(schedule.ofProcess)
  async ofProcess(request: { processID: string; after?: string }): Promise<SchedulePage> {
    this.requests.push(request);
    return { schedules: [SCHEDULE], more: request.after === undefined };
  }

  @Handles(schedule.firings)
  async firings(request: { id: string; accountID: string; limit: number; before?: string }): Promise<FiringPage> {
    this.requests.push(request);
    if (request.id !== SCHEDULE.id) throw new ApiError('SCHEDULE_NOT_FOUND');
    return request.before === undefined ? { firings: [FIRING], older: { before: FIRING.nominalAt } } : { firings: [] };
  }

  @Handles(schedule.preview)
  async preview({ cronExpression }: { cronExpression: string }): Promise<{ times: UpcomingTime[] }> {
    if (cronExpression === 'daily') throw new ApiError('INVALID_CRON', 'cronExpression: must have five fields');
    return { times: [TIME] };
  }

  @OnNotification(notifications.processDeleted)
  async processDeleted({ processID }: { processID: string }): Promise<void> {
    this.deletedProcesses.push(processID);
  }
}

@Module({ controllers: [FakeSchedule] })
class FakeScheduleModule {}

export async function startFakeSchedule(natsURL: string): Promise<{ app: INestMicroservice; fake: FakeSchedule }> {
  const options = { ...natsMicroservice(natsURL, 'fake-schedule'), logger: false as const };
  const app = await NestFactory.createMicroservice(FakeScheduleModule, options);
  await app.listen();
  return { app, fake: app.get(FakeSchedule) };
}
