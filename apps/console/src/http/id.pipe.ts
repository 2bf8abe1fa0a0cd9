import { ApiError, type ErrorCode } from '@batuta/errors';
import type { PipeTransform } from '@nestjs/common';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An id in the path. One that cannot exist is answered like one that does not. */
class IdPipe implements PipeTransform<string, string> {
  constructor(private readonly code: ErrorCode) {}

  transform(given: string): string {
    const id = given.toLowerCase();
    if (!UUID.test(id)) throw new ApiError(this.code);
    return id;
  }
}

export const processID = new IdPipe('INVALID_PROCESS_ID');
export const instanceID = new IdPipe('INSTANCE_NOT_FOUND');
export const scheduleID = new IdPipe('SCHEDULE_NOT_FOUND');
export const resourceID = new IdPipe('NOT_FOUND');
