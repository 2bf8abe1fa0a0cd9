import { readID } from '@batuta/auth';
import { schedule } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../http/request';

/** An id of another form is a schedule that does not exist: SCHEDULE_NOT_FOUND. */
export function readScheduleID(text: unknown): string {
  const id = readID(text);
  if (id === undefined) throw new ApiError('SCHEDULE_NOT_FOUND', 'id: no such schedule');
  return id;
}

/** Comes after CallerGuard and before BodyGuard: nothing of a body is judged before the schedule is there (interpretation 11). */
@Injectable()
export class ScheduleGuard implements CanActivate {
  constructor(private readonly rpc: Rpc) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { params, caller } = requestOf(context);
    if (!caller) throw new Error('CallerGuard comes before ScheduleGuard');
    await this.rpc.call(schedule.find, { id: readScheduleID(params['id']), accountID: caller.accountID });
    return true;
  }
}
