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

const RESPONSE_DESCRIPTION =
  'The valid answer of the process to the caller of a webhook in the mode `Aguardar`, which may have disconnected before. `Secreto`, sensitive and vault values in it are masked.';

export const STARTED_AT_DESCRIPTION = 'The begin of the run; of an instance that never ran, its acceptance.';
export const DURATION_DESCRIPTION =
  'From `startedAt` to `finishedAt`, pauses included, rounded; 0 for one that never ran.';
export const SAVINGS_VALUE_DESCRIPTION =
  'The money that the work of a person would have cost: `fteHours` times the `avgOperatorCost` at the end of the run. 0 unless the status is `success`.';
export const FTE_HOURS_DESCRIPTION =
  'The hours that a person would have needed: the `avgHumanTime` at the end of the run. 0 unless the status is `success`.';

@ApiSchema({ name: 'InstanceResponse' })
export class InstanceResponseDto implements InstanceResponse {
  @ApiProperty({ type: 'integer', description: 'The HTTP status that the process chose.' })
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
      'Why it waits, as of this answer. `AGENT_OFFLINE`: no agent of the environment is connected. `AGENT_BUSY`: a connected agent could run it and has not got it yet, for example because it is full or rejects it. `ABILITY_MISSING`: no connected agent has every ability that the instance needs.',
  })
  reason!: 'AGENT_OFFLINE' | 'AGENT_BUSY' | 'ABILITY_MISSING';

  @ApiPropertyOptional({
    description: 'With `ABILITY_MISSING`: what no connected agent does, or no single one does all of.',
    examples: ['No connected agent of the environment "Robots" runs browser steps.'],
  })
  message?: string;
}

class InstanceIdentityDto {
  @ApiProperty({ format: 'uuid' })
  instanceID!: string;

  @ApiProperty({ format: 'uuid' })
  processID!: string;

  @ApiProperty({ description: 'The name that the process had when the start was accepted.' })
  processName!: string;
}

/** The body of an instance that has not ended (contract 2.6b). */
@ApiSchema({ name: 'InstanceInProgress' })
export class InstanceInProgressDto extends InstanceIdentityDto implements InstanceInProgress {
  @ApiProperty({
    enum: ['queued', 'running', 'unknown'],
    description:
      '`unknown`: an agent was offered the instance and has not confirmed yet; it runs soon, or is queued again.',
  })
  status!: 'queued' | 'running' | 'unknown';

  @ApiProperty({
    description:
      'Who started it: the label of the credential, or the name of the webhook origin, of the schedule, or of the account that started it in the console.',
  })
  userName!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Epoch milliseconds: of the acceptance until it runs, then of the begin of the run.',
  })
  startedAt!: number;

  @ApiPropertyOptional({
    ...TRUE_ONLY,
    description: 'From an accepted pause until a resume or stop; the agent may still be finishing a step.',
  })
  paused?: true;

  @ApiPropertyOptional({ description: 'Only while queued.' })
  queue?: QueuePositionDto;

  @ApiPropertyOptional({ description: RESPONSE_DESCRIPTION })
  response?: InstanceResponseDto;
}

/** The body of an instance that has ended (contract 2.6b). */
@ApiSchema({ name: 'InstanceEnded' })
export class InstanceEndedDto extends InstanceIdentityDto implements InstanceEnded {
  @ApiProperty({
    enum: ['success', 'error', 'terminated', 'stopped'],
    description:
      '`error`: also when its agent was lost, or the step limit was reached. `terminated`: a route of the flow ended it. `stopped`: also when it was cancelled in the queue.',
  })
  status!: 'success' | 'error' | 'terminated' | 'stopped';

  @ApiProperty({ format: 'date-time', description: STARTED_AT_DESCRIPTION })
  startedAt!: string;

  @ApiProperty({ format: 'date-time' })
  finishedAt!: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: DURATION_DESCRIPTION })
  durationSeconds!: number;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'The step that failed or exceeded the step limit; null without one.' })
  errorStep!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why it failed, or why the service ended it; null without a reason.' })
  errorMessage!: string | null;

  @ApiProperty({ description: SAVINGS_VALUE_DESCRIPTION })
  savingsValue!: number;

  @ApiProperty({ description: FTE_HOURS_DESCRIPTION })
  fteHours!: number;

  @ApiProperty({ description: 'The number of the version that was started; `0` for a debug run of a draft.' })
  version!: string;

  @ApiPropertyOptional({ description: RESPONSE_DESCRIPTION })
  response?: InstanceResponseDto;
}

/** A line of an instance's log (contract 2.8). */
@ApiSchema({ name: 'LogLine' })
export class LogLineDto implements LogLine {
  @ApiProperty({
    format: 'date-time',
    description: 'By the clock of the machine that wrote the line, usually that of the agent.',
  })
  timestamp!: string;

  @ApiProperty({ enum: SEVERITIES })
  severity!: Severity;

  @ApiProperty({ description: '`Secreto`, sensitive and vault values are masked.' })
  message!: string;

  @ApiProperty({ description: 'The name of the step; empty when the line is of no step.' })
  stepID!: string;

  @ApiProperty({ description: 'Who started the instance; the same in each of its lines.' })
  userName!: string;

  @ApiProperty({ description: 'The version of the instance; the same in each of its lines.' })
  version!: string;

  @ApiProperty({
    ...TEXT_OR_NULL,
    description: 'The path of a picture that the step left, in this API; null without one. Older agents put text here.',
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
  @ApiProperty({ type: [LogLineDto], description: 'Oldest first.' })
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
