import { CONTROL_ACTIONS, type ControlAction } from '@batuta/contracts';
import type { ErrorCode } from '@batuta/errors';
import { combineDecorators, refusedAs, fieldRule } from '@batuta/http';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';

const ID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An id in the path. A malformed id is refused like an id that does not exist. */
export function PathID(code: ErrorCode): PropertyDecorator {
  const isID = (value: unknown) => typeof value === 'string' && ID_PATTERN.test(value);
  return combineDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    fieldRule('id', 'is not an id', isID, refusedAs(code, { codeMessage: true })),
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

export class ControlPath extends InstancePath {
  @fieldRule(
    'action',
    `must be one of ${CONTROL_ACTIONS.join(', ')}`,
    (value) => CONTROL_ACTIONS.some((action) => action === value),
    refusedAs('INVALID_ACTION', { namesField: true }),
  )
  @ApiProperty({ enum: CONTROL_ACTIONS })
  action!: ControlAction;
}

export class EvidencePath extends InstancePath {
  @PathID('NOT_FOUND')
  id!: string;
}

export class SchedulePath {
  @PathID('SCHEDULE_NOT_FOUND')
  id!: string;
}

export class ResourcePath {
  @PathID('NOT_FOUND')
  id!: string;
}
