import {
  INSTANCE_STATUSES,
  OUTCOMES,
  TRIGGER_KINDS,
  type InstanceStatus,
  type Outcome,
  type Run,
  type RunDetails,
  type RunListPage,
  type StartedValue,
  type TriggerKind,
} from '@batuta/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, PatternField, QueryListField, ResourceIDField } from '../http/fields';
import { LimitQuery } from '../http/page.dto';
import { IDField, IntegerField, JsonField, TimeField } from '../http/response-fields';
import { PAUSED_PROPERTY } from '../runs/instance.dto';

const CURSOR = /^\d{1,15}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class RunsQuery extends LimitQuery {
  @ResourceIDField({ optional: true, description: 'Only of this process.' })
  process?: string;

  @QueryListField(INSTANCE_STATUSES, {
    optional: true,
    description: 'Only with one of these statuses.',
    examples: ['error,terminated'],
  })
  status?: InstanceStatus[];

  @QueryListField(TRIGGER_KINDS, {
    optional: true,
    description: 'Only runs that were started in one of these ways.',
    examples: ['api,schedule'],
  })
  trigger?: TriggerKind[];

  @ResourceIDField({ optional: true, description: 'Only of this environment.' })
  environment?: string;

  @DateTimeField({ optional: true, description: 'Only those accepted then or later.' })
  from?: string;

  @DateTimeField({ optional: true, description: 'Only those accepted before.' })
  to?: string;

  @PatternField(CURSOR, 'must be the text in `older`', { optional: true, description: 'Only older runs.' })
  before?: string;
}

export class RunAnswerItem implements Run {
  @IDField()
  instanceID!: string;

  @IDField()
  processID!: string;

  @ApiProperty({ description: 'The name that the process had when the start was accepted.' })
  processName!: string;

  @ApiProperty({ enum: INSTANCE_STATUSES })
  status!: InstanceStatus;

  @ApiProperty({ type: 'string', enum: OUTCOMES, nullable: true, description: 'null until it has ended.' })
  outcome!: Outcome | null;

  @ApiProperty(PAUSED_PROPERTY)
  paused?: true;

  @ApiProperty({ enum: TRIGGER_KINDS })
  trigger!: TriggerKind;

  @ApiProperty({
    description:
      'Who started it: the label of a credential, the name of a webhook origin or a schedule, or of the account that started it by hand.',
  })
  userName!: string;

  @IDField()
  environmentID!: string;

  @IntegerField({ description: '0 for a debug run of the flow in development.' })
  version!: number;

  @TimeField()
  acceptedAt!: string;

  @TimeField({ nullable: true, description: 'When an agent began to run it; null before that, and when none did.' })
  startedAt!: string | null;

  @TimeField({ nullable: true, description: 'null until it has ended.' })
  finishedAt!: string | null;

  @IntegerField({
    nullable: true,
    description: 'From `startedAt` to `finishedAt`; null until it has ended, and when it never ran.',
  })
  durationMs!: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The name of the step that failed or that exceeded the step limit; else null.',
  })
  errorStep!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The first 500 characters; `GET /instances/{iid}` has the whole message.',
  })
  errorMessage!: string | null;

  @IDField({ nullable: true, description: 'The instance whose run it repeats; null when it repeats none.' })
  retryOf!: string | null;
}

export class StartedValueAnswer implements StartedValue {
  @ApiProperty()
  name!: string;

  @ApiProperty({
    examples: ['Moeda'],
    description: 'The type at the start; `Secreto` also when the variable has become one since, or was removed.',
  })
  type!: string;

  @JsonField({ description: 'As the flow got it; null for a Secreto and for a removed variable.' })
  value!: unknown;

  @ApiProperty({ type: 'boolean', enum: [true], required: false, description: 'A Secreto that had a value.' })
  secret?: true;

  @ApiProperty({
    type: 'boolean',
    enum: [true],
    required: false,
    description:
      'No variable has this name any more; the value is hidden as one of a Secreto, and a further run does without it.',
  })
  removed?: true;
}

export class RunDetailsAnswer implements RunDetails {
  @ApiProperty({ type: RunAnswerItem })
  run!: RunAnswerItem;

  @ApiProperty({
    required: false,
    examples: ['robot-07'],
    description:
      'The name of the agent that had it last, for callers that see the environment; absent when no agent had it, while it waits in the queue, and a day after the agent has disconnected.',
  })
  agent?: string;

  @ApiProperty({
    type: [StartedValueAnswer],
    nullable: true,
    description:
      'null when they are not kept: of a debug run, of values of more than 16,000 characters, and as soon as the log lines are deleted. Also null when they cannot be read.',
  })
  values!: StartedValueAnswer[] | null;

  @ApiProperty({
    type: 'boolean',
    enum: [true],
    required: false,
    description:
      'Present when the values are kept but cannot be read, for example because their key was removed from the service.',
  })
  valuesUnreadable?: true;
}

export class OlderRunsCursor {
  @ApiProperty({ examples: ['1763640000000.01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15'] })
  before!: string;
}

export class RunList implements RunListPage {
  @ApiProperty({ type: [RunAnswerItem] })
  runs!: RunAnswerItem[];

  @ApiProperty({
    type: OlderRunsCursor,
    required: false,
    description:
      'Older ones may exist: `?before=` reads them. A page of a rare match may have no run and still have it.',
  })
  older?: OlderRunsCursor;
}
