import { schedule, type ScheduleCreation } from '@batuta/contracts';
import { DatabaseClock } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

/**
 * Creates schedules. A request without a reply is repeated once with the same id, because the schedule may have been
 * created.
 */
@Injectable()
export class ScheduleCreationService {
  constructor(
    private readonly rpc: Rpc,
    private readonly clock: DatabaseClock,
    @Inject(CONSOLE_CONFIG) private readonly config: Pick<ConsoleConfig, 'READ_TIMEOUT_MS'>,
  ) {}

  /** Throws the refusal of the schedule service, and UNAVAILABLE when neither attempt had a reply: the schedule may exist then. */
  async add(wanted: Omit<ScheduleCreation, 'id' | 'deadline' | 'resent'>): Promise<{ id: string }> {
    const creation = { ...wanted, id: uuid(), deadline: this.clock.now() + this.config.READ_TIMEOUT_MS };
    try {
      return await this.rpc.call(schedule.create, creation);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') throw error;
      return this.rpc.call(schedule.create, { ...creation, resent: true });
    }
  }
}
