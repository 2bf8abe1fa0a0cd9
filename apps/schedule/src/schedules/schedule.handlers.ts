import { notifications, schedule, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Handles, OnNotification } from '@batuta/messaging';
import { PeriodicTasks } from '@batuta/service';
import { Controller } from '@nestjs/common';
import { removeSchedulesOfDeletedProcess } from './schedule-removal';
import { ScheduleService } from './schedule.service';

type Request = RequestsOf<typeof schedule>;
type Reply = RepliesOf<typeof schedule>;

/** Requests of gateway and console about schedules, and the notification that a process was deleted. */
@Controller()
export class ScheduleHandlers {
  constructor(
    private readonly schedules: ScheduleService,
    private readonly store: Store,
    private readonly tasks: PeriodicTasks,
  ) {}

  @Handles(schedule.create, { raw: true })
  async create(creation: Request['create']): Reply['create'] {
    await this.schedules.create(creation);
    return { id: creation.id };
  }

  @Handles(schedule.list)
  list({ accountID, after }: Request['list']): Reply['list'] {
    return this.schedules.page({ accountID }, after);
  }

  @Handles(schedule.ofProcess)
  ofProcess({ processID, after }: Request['ofProcess']): Reply['ofProcess'] {
    return this.schedules.page({ processID }, after);
  }

  @Handles(schedule.find)
  find({ id, accountID }: Request['find']): Reply['find'] {
    return this.schedules.find(id, accountID);
  }

  @Handles(schedule.read)
  read({ id, accountID }: Request['read']): Reply['read'] {
    return this.schedules.read(id, accountID);
  }

  @Handles(schedule.change, { raw: true })
  async change(change: Request['change']): Reply['change'] {
    await this.schedules.change(change);
    return { id: change.id };
  }

  @Handles(schedule.setActive)
  async setActive({ id, active, ...caller }: Request['setActive']): Reply['setActive'] {
    await this.schedules.setActive(id, caller, active);
    return { id, active };
  }

  @Handles(schedule.remove)
  async remove({ id, ...caller }: Request['remove']): Reply['remove'] {
    await this.schedules.remove(id, caller);
    return { ok: true };
  }

  @Handles(schedule.firings)
  firings({ id, accountID, limit, from, before }: Request['firings']): Reply['firings'] {
    return this.schedules.firings(id, accountID, limit, { from, before });
  }

  @Handles(schedule.calendar)
  async calendar({ id, accountID, month }: Request['calendar']): Reply['calendar'] {
    return { days: await this.schedules.calendar(id, accountID, month) };
  }

  @Handles(schedule.preview)
  async preview({ cronExpression }: Request['preview']): Reply['preview'] {
    return { times: await this.schedules.preview(cronExpression) };
  }

  @OnNotification(notifications.processDeleted)
  async processDeleted({ processID }: { processID: string }): Promise<void> {
    await removeSchedulesOfDeletedProcess(this.store, processID, () => this.tasks.stopping);
  }
}
