import {
  notifications,
  schedule,
  type CalendarDay,
  type Firing,
  type FiringPage,
  type Schedule,
  type ScheduleChangeRequest,
  type ScheduleCreation,
  type ScheduleListPage,
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
const CALENDAR_DAY: CalendarDay = {
  day: '2026-11-20',
  from: '2026-11-20T03:00:00.000Z',
  until: '2026-11-21T03:00:00.000Z',
  firings: { skipped: 1 },
  upcoming: ['2026-11-21T02:00:00.000Z'],
  moreUpcoming: false,
};
const UPCOMING_TIME: UpcomingTime = { at: '2026-11-21T06:00:00.000Z', local: '2026-11-21T03:00:00-03:00' };

/** As the schedule service refuses a schedule that does not exist or that the caller may not see. */
const scheduleNotFound = () => new ApiError('SCHEDULE_NOT_FOUND', 'id: no such schedule');

/** Stands in for the schedule service and records the requests. */
@Controller()
export class FakeSchedule {
  static readonly schedule = SCHEDULE;
  static readonly firing = FIRING;
  static readonly day = CALENDAR_DAY;
  static readonly time = UPCOMING_TIME;

  /** The requests other than creations and previews, in order. */
  readonly requests: unknown[] = [];
  readonly creations: ScheduleCreation[] = [];
  /** How many of the next creations get no answer. */
  unanswered = 0;
  readonly deletedProcesses: string[] = [];

  @Handles(schedule.ofProcess)
  async ofProcess(request: { processID: string; after?: string }): Promise<ScheduleListPage> {
    this.requests.push(request);
    return { schedules: [SCHEDULE], more: request.after === undefined };
  }

  @Handles(schedule.list)
  async list(request: { accountID: string; after?: string }): Promise<ScheduleListPage> {
    this.requests.push(request);
    return { schedules: [SCHEDULE], more: request.after === undefined };
  }

  @Handles(schedule.create)
  async create(creation: ScheduleCreation): Promise<{ id: string }> {
    this.creations.push(creation);
    if (this.unanswered-- > 0) throw new ApiError('UNAVAILABLE');
    if (creation.draft.cronExpression === 'daily') throw new ApiError('INVALID_CRON', 'cronExpression: five fields');
    return { id: creation.id };
  }

  @Handles(schedule.read)
  async read(request: { id: string; accountID: string }): Promise<Schedule> {
    this.requests.push(request);
    if (request.id !== SCHEDULE.id) throw scheduleNotFound();
    return SCHEDULE;
  }

  @Handles(schedule.change)
  async change(request: ScheduleChangeRequest): Promise<{ id: string }> {
    this.requests.push(request);
    if (request.id !== SCHEDULE.id) throw scheduleNotFound();
    return { id: request.id };
  }

  @Handles(schedule.calendar)
  async calendar(request: { id: string; accountID: string; month: string }): Promise<{ days: CalendarDay[] }> {
    this.requests.push(request);
    if (request.id !== SCHEDULE.id) throw scheduleNotFound();
    return { days: [CALENDAR_DAY] };
  }

  @Handles(schedule.setActive)
  async setActive(request: { id: string; accountID: string; active: boolean }) {
    this.requests.push(request);
    if (request.id !== SCHEDULE.id) throw scheduleNotFound();
    return { id: request.id, active: request.active };
  }

  @Handles(schedule.remove)
  async remove(request: { id: string; accountID: string }): Promise<{ ok: true }> {
    this.requests.push(request);
    if (request.id !== SCHEDULE.id) throw scheduleNotFound();
    return { ok: true };
  }

  @Handles(schedule.firings)
  async firings(request: { id: string; accountID: string; limit: number; before?: string }): Promise<FiringPage> {
    this.requests.push(request);
    if (request.id !== SCHEDULE.id) throw scheduleNotFound();
    return request.before === undefined ? { firings: [FIRING], older: { before: FIRING.nominalAt } } : { firings: [] };
  }

  @Handles(schedule.preview)
  async preview({ cronExpression }: { cronExpression: string }): Promise<{ times: UpcomingTime[] }> {
    if (cronExpression === 'daily') throw new ApiError('INVALID_CRON', 'cronExpression: must have five fields');
    return { times: [UPCOMING_TIME] };
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
