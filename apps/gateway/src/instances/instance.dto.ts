import {
  CONTROL_ACTIONS,
  LAST_QUEUE_POSITION,
  SEVERITIES,
  type ControlAction,
  type InstanceEnded,
  type InstanceInProgress,
  type InstanceResponse,
  type LogLine,
  type LogPage,
  type Severity,
} from '@batuta/contracts';
import { ANY_JSON, TEXT_OR_NULL, TRUE_ONLY } from '@batuta/openapi';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

const RESPONSE_DESCRIPTION = 'The answer of the process to its webhook caller, which may have disconnected before.';

@ApiSchema({ name: 'InstanceResponse' })
export class InstanceResponseDto implements InstanceResponse {
  @ApiProperty({ type: 'integer' })
  code!: number;

  @ApiProperty({ ...ANY_JSON, description: 'The JSON of the answer.' })
  body!: unknown;
}

@ApiSchema({ name: 'QueuePosition' })
export class QueuePositionDto {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: LAST_QUEUE_POSITION,
    description: "Its place in the environment's queue; 1,001 when at least 1,000 others are before it.",
  })
  position!: number;

  @ApiProperty({
    enum: ['AGENT_OFFLINE', 'AGENT_BUSY', 'ABILITY_MISSING'],
    description:
      'Why it waits, as of this answer. `AGENT_OFFLINE`: no agent of the environment is connected. `AGENT_BUSY`: every connected agent that could run it is full or rejects it. `ABILITY_MISSING`: no connected agent runs every step of the version.',
  })
  reason!: 'AGENT_OFFLINE' | 'AGENT_BUSY' | 'ABILITY_MISSING';

  @ApiPropertyOptional({
    description: 'With `ABILITY_MISSING`: which steps no connected agent runs.',
    examples: ['No connected agent of the environment "Robots" runs browser steps.'],
  })
  message?: string;
}

class InstanceIdentityDto {
  @ApiProperty({ format: 'uuid' })
  instanceID!: string;

  @ApiProperty({ format: 'uuid' })
  processID!: string;

  @ApiProperty()
  processName!: string;
}

/** The body of an instance that has not ended (contract 2.6b). */
@ApiSchema({ name: 'InstanceInProgress' })
export class InstanceInProgressDto extends InstanceIdentityDto implements InstanceInProgress {
  @ApiProperty({ enum: ['queued', 'running', 'unknown'] })
  status!: 'queued' | 'running' | 'unknown';

  @ApiProperty({ description: 'The label of the credential that started it.' })
  userName!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Epoch milliseconds: of acceptance while queued, then of the begin.',
  })
  startedAt!: number;

  @ApiPropertyOptional({ ...TRUE_ONLY, description: 'Only while paused.' })
  paused?: true;

  @ApiPropertyOptional({ description: 'Only while queued.' })
  queue?: QueuePositionDto;

  @ApiPropertyOptional({ description: RESPONSE_DESCRIPTION })
  response?: InstanceResponseDto;
}

/** The body of an instance that has ended (contract 2.6b). */
@ApiSchema({ name: 'InstanceEnded' })
export class InstanceEndedDto extends InstanceIdentityDto implements InstanceEnded {
  @ApiProperty({ enum: ['success', 'error', 'terminated', 'stopped'] })
  status!: 'success' | 'error' | 'terminated' | 'stopped';

  @ApiProperty({ format: 'date-time' })
  startedAt!: string;

  @ApiProperty({ format: 'date-time' })
  finishedAt!: string;

  @ApiProperty({ type: 'integer', minimum: 0 })
  durationSeconds!: number;

  @ApiProperty(TEXT_OR_NULL)
  errorStep!: string | null;

  @ApiProperty(TEXT_OR_NULL)
  errorMessage!: string | null;

  @ApiProperty()
  savingsValue!: number;

  @ApiProperty()
  fteHours!: number;

  @ApiProperty({ description: 'The version of the process that ran.' })
  version!: string;

  @ApiPropertyOptional({ description: RESPONSE_DESCRIPTION })
  response?: InstanceResponseDto;
}

/** A line of an instance's log (contract 2.8). */
@ApiSchema({ name: 'LogLine' })
export class LogLineDto implements LogLine {
  @ApiProperty({ format: 'date-time' })
  timestamp!: string;

  @ApiProperty({ enum: SEVERITIES })
  severity!: Severity;

  @ApiProperty({ description: 'What is sensitive is masked.' })
  message!: string;

  @ApiProperty({ description: 'The name of the step.' })
  stepID!: string;

  @ApiProperty()
  userName!: string;

  @ApiProperty()
  version!: string;

  @ApiProperty({
    ...TEXT_OR_NULL,
    description: 'The path of a picture that the step left; older agents put text here.',
  })
  evidence!: string | null;
}

@ApiSchema({ name: 'OlderLines' })
export class OlderLinesCursorDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'The number of the first line of this answer.' })
  before!: number;
}

@ApiSchema({ name: 'NewerLines' })
export class NewerLinesCursorDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'The number of the last line of this answer.' })
  after!: number;
}

@ApiSchema({ name: 'LogList' })
export class LogListDto implements LogPage {
  @ApiProperty({ type: [LogLineDto] })
  logs!: LogLineDto[];

  @ApiPropertyOptional({
    description:
      'Only there when the request has no `after` and older lines exist: `?before=` with this number reads them.',
  })
  older?: OlderLinesCursorDto;

  @ApiPropertyOptional({
    description:
      'Only there when the request has `after` and further lines exist (before `before`, if given): `?after=` with this number reads on.',
  })
  newer?: NewerLinesCursorDto;
}

@ApiSchema({ name: 'ControlDone' })
export class ControlDoneDto {
  @ApiProperty(TRUE_ONLY)
  ok!: true;

  @ApiProperty({ enum: CONTROL_ACTIONS })
  action!: ControlAction;
}
