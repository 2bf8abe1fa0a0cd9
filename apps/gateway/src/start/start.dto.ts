import type { DryRunReply } from '@batuta/contracts';
import { ERROR_CODES, isErrorCode, type ErrorCode } from '@batuta/errors';
import { ANY_RECORD, TRUE_ONLY } from '@batuta/openapi';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

/**
 * Codes with which a start by API or webhook is refused, besides those of its authorization, of a malformed request and of overload
 * (RATE_LIMITED, UNAVAILABLE). ROUTER_ERROR = the start was not stored and never will be; the gateway or execution says so.
 */
export const START_ERRORS = [
  'INVALID_MATRIX',
  'INVALID_ENVIRONMENT',
  'INSUFFICIENT_CREDITS',
  'PROCESS_NOT_PUBLISHED',
  'ROUTER_ERROR',
  'AGENT_OFFLINE',
] as const;

class AcceptedDto {
  @ApiProperty({ format: 'uuid', description: 'What the instance routes take.' })
  instanceID!: string;

  @ApiPropertyOptional({
    ...TRUE_ONLY,
    description: 'An earlier start with this Idempotency-Key was accepted; the answer is that of the earlier start.',
  })
  replayed?: true;
}

@ApiSchema({ name: 'Started' })
export class StartedDto extends AcceptedDto {
  @ApiProperty({
    enum: ['started'],
    description: 'A connected agent can run the instance; while no such agent is free, the instance waits.',
  })
  status!: 'started';
}

@ApiSchema({ name: 'Queued' })
export class QueuedDto extends AcceptedDto {
  @ApiProperty({
    enum: ['queued'],
    description: 'No connected agent can run the instance yet; it waits in the queue of the environment.',
  })
  status!: 'queued';
}

@ApiSchema({ name: 'StartRefusal' })
export class StartRefusalDto {
  @ApiProperty({ enum: Object.keys(ERROR_CODES).filter(isErrorCode) })
  code!: ErrorCode;

  @ApiProperty()
  message!: string;
}

@ApiSchema({ name: 'RefusedValue' })
export class RefusedValueDto {
  @ApiProperty({ description: 'The name of a variable, or a sent name that is no variable.' })
  name!: string;

  @ApiProperty()
  message!: string;
}

@ApiSchema({ name: 'DryRunEnvironment' })
export class DryRunEnvironmentDto {
  @ApiProperty({ format: 'uuid' })
  environmentID!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'At least one agent is connected now, whether or not it can run this process.' })
  online!: boolean;
}

@ApiSchema({ name: 'DryRun' })
export class DryRunDto implements DryRunReply {
  @ApiPropertyOptional({
    ...ANY_RECORD,
    description: 'The values as the flow would get them, a Secreto masked; absent when a value is refused.',
  })
  matrix?: Record<string, unknown>;

  @ApiProperty({
    type: [StartRefusalDto],
    description:
      'All that can be checked, in the order in which a start would meet them; empty when it would be accepted now.',
  })
  refusals!: StartRefusalDto[];

  @ApiPropertyOptional({
    type: [RefusedValueDto],
    description:
      'Every sent value or default that does not convert, and every sent name that is no variable; at most 200. Absent when all convert.',
  })
  refusedValues?: RefusedValueDto[];

  @ApiPropertyOptional({
    description: 'Where it would run; absent when none is sent or registered, or when it is out of reach.',
  })
  environment?: DryRunEnvironmentDto;

  @ApiPropertyOptional({
    enum: ['started', 'queued'],
    description: 'What a start would answer now; absent when it would be refused.',
  })
  status?: 'started' | 'queued';
}

const EXAMPLE_INSTANCE_ID = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15';
export const STARTED_EXAMPLE: StartedDto = { instanceID: EXAMPLE_INSTANCE_ID, status: 'started' };
export const QUEUED_EXAMPLE: QueuedDto = { instanceID: EXAMPLE_INSTANCE_ID, status: 'queued' };

/** The request header `Idempotency-Key`, described for `@ApiHeader`. */
export const IDEMPOTENCY_KEY_HEADER = {
  name: 'Idempotency-Key',
  required: false,
  description:
    'Makes the call safe to repeat: for 24 hours after an accepted start, the same key gets the instance of that start again and starts nothing, even with another body. A refusal is not remembered. Keys are told apart by account and process, or by webhook origin.',
  schema: {
    type: 'string',
    pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]{0,253}[\\x21-\\x7e])?$',
    examples: ['order-2026-0042'],
  },
};
