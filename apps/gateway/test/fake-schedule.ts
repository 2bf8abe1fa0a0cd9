import { schedule, type Schedule, type ScheduleCreation, type ScheduleListPage } from '@batuta/contracts';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { receivedRequests } from './fake-execution';

type ScheduleRequest = { id: string; accountID: string };
/** The replies of the fake schedule service; a test replaces them. */
export const scheduleReplies = {
  create: async ({ id }: ScheduleCreation): Promise<{ id: string }> => ({ id }),
  list: async (_asked: { accountID: string; after?: string }): Promise<ScheduleListPage> => ({
    schedules: [],
    more: false,
  }),
  find: async ({ id }: ScheduleRequest): Promise<{ id: string; active: boolean }> => ({ id, active: true }),
  read: async ({ id }: ScheduleRequest): Promise<Schedule> => ({
    id,
    name: 'Nightly',
    processID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c11',
    processName: 'Orders',
    cronExpression: '0 3 * * *',
    active: true,
    userName: 'ERP',
    matrix: { total: '10,50' },
    environmentID: '',
  }),
  setActive: async ({ id, active }: ScheduleRequest & { active: boolean }) => ({ id, active }),
  remove: async (_asked: ScheduleRequest): Promise<{ ok: true }> => ({ ok: true }),
};

function recordRequest<Request>(subject: string, request: Request): Request {
  receivedRequests.push({ subject, request });
  return request;
}

@Controller()
class FakeSchedule {
  @Handles(schedule.create)
  async create(request: ScheduleCreation): Promise<{ id: string }> {
    return scheduleReplies.create(recordRequest('schedule.create', request));
  }

  @Handles(schedule.list)
  async list(request: { accountID: string; after?: string }): Promise<ScheduleListPage> {
    return scheduleReplies.list(recordRequest('schedule.list', request));
  }

  @Handles(schedule.find)
  async find(request: ScheduleRequest): Promise<{ id: string; active: boolean }> {
    return scheduleReplies.find(recordRequest('schedule.find', request));
  }

  @Handles(schedule.read)
  async read(request: ScheduleRequest): Promise<Schedule> {
    return scheduleReplies.read(recordRequest('schedule.read', request));
  }

  @Handles(schedule.setActive)
  async setActive(request: ScheduleRequest & { active: boolean }): Promise<{ id: string; active: boolean }> {
    return scheduleReplies.setActive(recordRequest('schedule.setActive', request));
  }

  @Handles(schedule.remove)
  async remove(request: ScheduleRequest): Promise<{ ok: true }> {
    return scheduleReplies.remove(recordRequest('schedule.remove', request));
  }
}

@Module({ controllers: [FakeSchedule] })
class FakeScheduleModule {}

/** A fake schedule service at the NATS server `url`. */
export async function startFakeSchedule(url: string): Promise<INestMicroservice> {
  const options = { ...natsMicroservice(url, 'fake-schedule'), logger: false as const };
  const app = await NestFactory.createMicroservice(FakeScheduleModule, options);
  await app.listen();
  return app;
}
