import { ApiProperty } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/answers';
import { Flag, Line, Prose, WholeNumber, Word } from '../http/fields';

const NAME = { examples: ['Finance robots'] };
const MAX_CAPACITY = 1_000;
const CAPACITY = { description: 'How many instances run at once.' };

export class EnvironmentInput {
  @Line(NAME)
  name!: string;

  @Prose({ default: '' })
  description = '';

  @Word({ default: 'windows' })
  os = 'windows';

  @Word({ default: 'prod' })
  envType = 'prod';

  @Flag({ default: false, description: 'Accepts queued executions while offline.' })
  offlineFlow = false;

  @Flag({ default: false })
  cancelQueueOnException = false;

  @WholeNumber(1, MAX_CAPACITY, { ...CAPACITY, default: 1 })
  capacity = 1;
}

export class EnvironmentChange {
  @Line({ ...NAME, optional: true })
  name?: string;

  @Prose({ optional: true })
  description?: string;

  @Word({ optional: true })
  os?: string;

  @Word({ optional: true })
  envType?: string;

  @Flag({ optional: true })
  offlineFlow?: boolean;

  @Flag({ optional: true })
  cancelQueueOnException?: boolean;

  @WholeNumber(1, MAX_CAPACITY, { ...CAPACITY, optional: true })
  capacity?: number;

  @Flag({ optional: true, description: 'Only administrators, for an environment of an administrator.' })
  shared?: boolean;
}

/** The only answer that holds the activation key. */
export class Activation {
  @IDField()
  environmentID!: string;

  @ApiProperty({ examples: ['bak_…'], description: 'Shown once.' })
  activationKey!: string;
}

export class EnvironmentAnswer {
  @IDField()
  environmentID!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty()
  online!: boolean;

  @ApiProperty()
  offlineFlow!: boolean;

  @ApiProperty()
  cancelQueueOnException!: boolean;

  @IntegerField()
  capacity!: number;

  @ApiProperty()
  envType!: string;

  @ApiProperty()
  os!: string;

  @ApiProperty()
  shared!: boolean;

  @ApiProperty()
  owned!: boolean;
}

export class AgentAnswer {
  @ApiProperty({ description: 'The name that the agent gives itself.' })
  name!: string;

  @ApiProperty()
  runtimeVersion!: string;

  @ApiProperty({ type: [String], description: 'The step types that it runs.', examples: [['rest', 'script', 'wait']] })
  abilities!: readonly string[];

  @IntegerField({ description: 'Instances that it runs at the same time.' })
  capacity!: number;

  @TimeField()
  connectedAt!: string;
}

export class AgentList {
  @ApiProperty({ type: [AgentAnswer] })
  agents!: AgentAnswer[];
}

export class EnvironmentList {
  @ApiProperty({ type: [EnvironmentAnswer] })
  environments!: EnvironmentAnswer[];
}
