import { schedule, type ScheduleCreation, type SchedulePage } from '@batuta/contracts';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { asked } from './fake-execution';

type Asked = { id: string; accountID: string };
/** The replies of the fake schedule service; a test replaces them. */
export const scheduleAnswers = {
  create: async ({ id }: ScheduleCreation): Promise<{ id: string }> => ({ id }),
  list: async (_asked: { accountID: string; after?: string }): Promise<SchedulePage> => ({
    schedules: [],
    more: false,
  }),
  find: async ({ id }: Asked): Promise<{ id: string; active: boolean }> => ({ id, active: true }),
  setActive: async ({ id, active }: Asked & { active: boolean }) => ({ id, active }),
  remove: async (_asked: Asked): Promise<{ ok: true }> => ({ ok: true }),
};

function recorded<Request>(subject: string, request: Request): Request {
  asked.push({ subject, request });
  return request;
}

@Controller()
class FakeSchedule {
  @Handles(schedule.create)
  async create(request: ScheduleCreation): Promise<{ id: string }> {
    return scheduleAnswers.create(recorded('schedule.create', request));
  }

  @Handles(schedule.list)
  async list(request: { accountID: string; after?: string }): Promise<SchedulePage> {
    return scheduleAnswers.list(recorded('schedule.list', request));
  }

  @Handles(schedule.find)
  async find(request: Asked): Promise<{ id: string; active: boolean }> {
    return scheduleAnswers.find(recorded('schedule.find', request));
  }

  @Handles(schedule.setActive)
  async setActive(request: Asked & { active: boolean }): Promise<{ id: string; active: boolean }> {
    return scheduleAnswers.setActive(recorded('schedule.setActive', request));
  }

  @Handles(schedule.remove)
  async remove(request: Asked): Promise<{ ok: true }> {
    return scheduleAnswers.remove(recorded('schedule.remove', request));
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
