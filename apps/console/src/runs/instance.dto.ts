import {
  INSTANCE_STATUSES,
  LAST_QUEUE_POSITION,
  SEVERITIES,
  type InstanceStatus,
  type Severity,
} from '@batuta/contracts';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  getSchemaPath,
  type ApiPropertyOptions,
} from '@nestjs/swagger';
import { IDField, IntegerField, JsonField, TimeField } from '../http/response-fields';
import { PatternField, QueryNumberField } from '../http/fields';
import { LimitQuery, NumberCursor } from '../http/page.dto';
import { INSTANCE_CURSOR } from './instance-cursor';

/** The field `paused` of an instance and of a run in a list. */
export const PAUSED_PROPERTY: ApiPropertyOptions = {
  type: 'boolean',
  enum: [true],
  required: false,
  description:
    'Present from the request of a pause, even before the agent obeys, until a resume or a stop is requested or the instance ends.',
};

export class WebhookAnswer {
  @IntegerField({ description: 'HTTP status.' })
  code!: number;

  @JsonField({ description: 'With masks in place of Secreto, sensitive and vault values.' })
  body!: unknown;
}

class InstanceSummary {
  @IDField()
  instanceID!: string;

  @IDField()
  processID!: string;

  @ApiProperty({ description: 'The name that the process had when the start was accepted.' })
  processName!: string;

  @ApiProperty({ enum: INSTANCE_STATUSES })
  status!: InstanceStatus;

  @ApiProperty({
    required: false,
    description: 'The answer of the process to its webhook caller, which may have disconnected before.',
  })
  response?: WebhookAnswer;
}

const WAIT_REASONS = ['AGENT_OFFLINE', 'AGENT_BUSY', 'ABILITY_MISSING'] as const;

export class QueuePosition {
  @IntegerField({
    minimum: 1,
    maximum: LAST_QUEUE_POSITION,
    description: "Its place in the environment's queue; 1,001 when at least 1,000 others are before it.",
  })
  position!: number;

  @ApiProperty({
    enum: WAIT_REASONS,
    description:
      'Why it waits, as of this answer. `AGENT_OFFLINE`: no agent of the environment is connected. `AGENT_BUSY`: a connected agent could run it and has not got it yet, for example because it is full or rejects it. `ABILITY_MISSING`: no connected agent has every ability that the instance needs.',
  })
  reason!: (typeof WAIT_REASONS)[number];

  @ApiPropertyOptional({
    description: 'With `ABILITY_MISSING`: what no connected agent does, or no single one does all of.',
  })
  message?: string;
}

export class InstanceInProgress extends InstanceSummary {
  @ApiProperty({
    description:
      'Who started it: the label of a credential, the name of a webhook origin or a schedule, or of the account that started it by hand.',
  })
  userName!: string;

  @IntegerField({ description: 'When the run began, in epoch milliseconds; before that the time of the acceptance.' })
  startedAt!: number;

  @ApiProperty(PAUSED_PROPERTY)
  paused?: true;

  @ApiPropertyOptional({ type: QueuePosition, description: 'Only while queued, as of this answer.' })
  queue?: QueuePosition;
}

export class EndedInstance extends InstanceSummary {
  @TimeField({ description: 'When the run began; of an instance that never ran, the time of the acceptance.' })
  startedAt!: string;

  @TimeField()
  finishedAt!: string;

  @IntegerField({ description: 'Rounded; 0 of an instance that never ran.' })
  durationSeconds!: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The name of the step that failed or that exceeded the step limit; else null.',
  })
  errorStep!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  errorMessage!: string | null;

  @ApiProperty({
    description: '`fteHours` at the `avgOperatorCost` that the process had at the end; 0 unless `success`.',
  })
  savingsValue!: number;

  @ApiProperty({ description: 'The `avgHumanTime` that the process had at the end, in hours; 0 unless `success`.' })
  fteHours!: number;

  @ApiProperty({ description: 'The number of the version that ran; `0` of a debug run.' })
  version!: string;
}

export class InstancesQuery extends LimitQuery {
  @PatternField(INSTANCE_CURSOR, 'must be the text in `older`', {
    optional: true,
    description: 'Only older instances: the text in `older`, or the id of an instance.',
  })
  before?: string;
}

export class OlderInstancesCursor {
  @ApiProperty({
    description: 'The place of the last instance of this answer.',
    examples: ['1763640000000.01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15'],
  })
  before!: string;
}

export class AuditQuery extends LimitQuery {
  @QueryNumberField(
    { min: 1, message: 'must be the number in `older`' },
    { optional: true, description: 'Only older events.' },
  )
  before?: number;
}

export class NewerLinesCursor {
  @IntegerField({ description: 'The number of the last line of this answer.' })
  after!: number;
}

@ApiExtraModels(InstanceInProgress, EndedInstance)
export class InstanceList {
  @ApiProperty({
    type: 'array',
    items: { anyOf: [InstanceInProgress, EndedInstance].map((model) => ({ $ref: getSchemaPath(model) })) },
  })
  instances!: (InstanceInProgress | EndedInstance)[];

  @ApiProperty({ type: OlderInstancesCursor, required: false, description: 'Older ones exist: `?before=` reads them.' })
  older?: OlderInstancesCursor;
}

export class LogsQuery {
  @QueryNumberField(
    { min: 1, max: 1_000, message: 'must be a whole number from 1 to 1000' },
    { default: 1_000, description: 'The maximum number of lines: the newest, or with `after` the oldest.' },
  )
  limit = 1_000;

  @QueryNumberField(
    { min: 0, message: 'must be a line number' },
    { optional: true, description: 'Only lines after this line number.' },
  )
  after?: number;

  @QueryNumberField(
    { min: 1, message: 'must be a line number' },
    { optional: true, description: 'Only lines before this line number.' },
  )
  before?: number;
}

export class EventsQuery {
  @QueryNumberField(
    { min: 0, message: 'must be a line number' },
    { optional: true, description: 'Only lines after this line number. A `Last-Event-ID` counts before it.' },
  )
  after?: number;
}

export class LogLineAnswer {
  @TimeField({
    description: 'By the clock of the agent; of a line that execution itself added, by that of the service.',
  })
  timestamp!: string;

  @ApiProperty({ enum: SEVERITIES })
  severity!: Severity;

  @ApiProperty()
  message!: string;

  @ApiProperty({ description: 'The name of the step; empty for a line of no step.' })
  stepID!: string;

  @ApiProperty({ description: 'Who started the instance, as in the instance.' })
  userName!: string;

  @ApiProperty({ description: 'The number of the version of the instance.' })
  version!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The path of a picture, `/v1/instances/…`, which may have been deleted since; lines of older agents may have text.',
  })
  evidence!: string | null;
}

export class LogList {
  @ApiProperty({ type: [LogLineAnswer] })
  logs!: LogLineAnswer[];

  @ApiProperty({
    type: NumberCursor,
    required: false,
    description: 'The request has no `after`, and older lines exist: `?before=` reads them.',
  })
  older?: NumberCursor;

  @ApiProperty({
    type: NewerLinesCursor,
    required: false,
    description:
      'The request has `after`, and further lines exist (before `before`, if given): `?after=` with this number reads on.',
  })
  newer?: NewerLinesCursor;
}

export class AuditEventAnswer {
  @TimeField()
  at!: string;

  @ApiProperty()
  action!: string;

  @IDField({ nullable: true, description: 'null for what happened with the process as a whole.' })
  instanceID!: string | null;

  @ApiProperty({
    description:
      'Who acted: the e-mail address of an account, the Identifier of a process key, the label of a credential or the name of a webhook origin. Of ' +
      'the end of an instance: who started it, who stopped it before it ran, or `cancelQueueOnException`. A share sees the name of the owner ' +
      'for what others did, and nothing of others who stopped an instance in the queue.',
  })
  executor!: string;

  @IDField({
    nullable: true,
    description:
      'The account that acted; null for a start by webhook, for the end of an instance, to the owner for an account of another company, and to a share for every account but its own.',
  })
  accountID!: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true })
  detail!: Record<string, unknown>;
}

export class AuditTrail {
  @ApiProperty({ type: [AuditEventAnswer] })
  events!: AuditEventAnswer[];

  @ApiProperty({ type: NumberCursor, required: false, description: 'Older ones exist: `?before=` reads them.' })
  older?: NumberCursor;
}
