import type { ErrorCode } from '@batuta/errors';
import { combined, refusedAs, rule } from '@batuta/http';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An id in the path. One that no resource can have is refused like one that no resource has. */
export function PathID(code: ErrorCode): PropertyDecorator {
  const isID = (value: unknown) => typeof value === 'string' && ID.test(value);
  return combined(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    rule('id', 'is not an id', isID, refusedAs(code, { codeMessage: true })),
    ApiProperty({ type: 'string' }),
  );
}

export class ProcessPath {
  @PathID('INVALID_PROCESS_ID')
  pid!: string;
}

export class InstancePath {
  @PathID('INSTANCE_NOT_FOUND')
  iid!: string;
}

export class SchedulePath {
  @PathID('SCHEDULE_NOT_FOUND')
  id!: string;
}

export class ResourcePath {
  @PathID('NOT_FOUND')
  id!: string;
}
