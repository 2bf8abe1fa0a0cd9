import { CONTROL_ACTIONS, type ControlAction } from '@batuta/contracts';
import { ApiError, isErrorCode } from '@batuta/errors';
import { combineDecorators, refusedAs, fieldRule } from '@batuta/http';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { notFound, type ResourceKind } from './not-found';

const ID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An id in the path. A malformed id is refused like an unknown one: `text` is the message with which a service refuses an unknown id. */
export function PathID(
  refusal: 'INVALID_PROCESS_ID' | 'INSTANCE_NOT_FOUND' | 'SCHEDULE_NOT_FOUND' | ResourceKind,
  text?: string,
) {
  const { code, message } = isErrorCode(refusal) ? new ApiError(refusal, text) : notFound(refusal);
  const isID = (value: unknown) => typeof value === 'string' && ID_PATTERN.test(value);
  return combineDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    fieldRule('id', message, isID, refusedAs(code, { namesField: true })),
    ApiProperty({ type: 'string' }),
  );
}

export class ProcessPath {
  @PathID('INVALID_PROCESS_ID')
  pid!: string;
}

export class InstancePath {
  @PathID('INSTANCE_NOT_FOUND', 'instanceID: no such instance')
  iid!: string;
}

export class ControlPath extends InstancePath {
  @fieldRule(
    'action',
    `must be one of ${CONTROL_ACTIONS.join(', ')}`,
    (value) => CONTROL_ACTIONS.some((action) => action === value),
    refusedAs('INVALID_ACTION'),
  )
  @ApiProperty({ enum: CONTROL_ACTIONS })
  action!: ControlAction;
}

export class EvidencePath extends InstancePath {
  @PathID('picture')
  id!: string;
}

export class SchedulePath {
  @PathID('SCHEDULE_NOT_FOUND', 'id: no such schedule')
  id!: string;
}

export class AccountPath {
  @PathID('account')
  id!: string;
}

export class CapturePath {
  @PathID('capture')
  id!: string;
}

export class CompanyPath {
  @PathID('company')
  id!: string;
}

export class CredentialPath {
  @PathID('credential')
  id!: string;
}

export class EnvironmentPath {
  @PathID('environment')
  id!: string;
}

export class EventSubscriptionPath {
  @PathID('event subscription')
  id!: string;
}

export class OriginPath {
  @PathID('webhook origin')
  id!: string;
}

export class PlanPath {
  @PathID('plan')
  id!: string;
}

export class ProcessKeyPath {
  @PathID('process key')
  id!: string;
}
