import { readID } from '@batuta/auth';
import { schedule } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import type { AuthorizationStep } from './authorization';

/** Refuses a schedule that does not exist for the caller, before the body is validated. */
@Injectable()
export class ScheduleStep {
  constructor(private readonly rpc: Rpc) {}

  readonly check: AuthorizationStep = async ({ request, caller }) => {
    const id = readID(request.params['id']);
    // The answer does not distinguish a malformed id from an id that does not exist.
    if (id === undefined) throw new ApiError('SCHEDULE_NOT_FOUND', 'id: no such schedule');
    await this.rpc.call(schedule.find, { id, accountID: caller.accountID });
  };
}
