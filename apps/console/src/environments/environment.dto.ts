import { ApiProperty } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import { FlagField, LineField, ProseField, WholeNumberField, WordField } from '../http/fields';

const NAME_EXAMPLES = { examples: ['Finance robots'] };
const MAX_CAPACITY = 1_000;
const CAPACITY_DESCRIPTION = { description: 'How many instances each agent of the environment runs at the same time.' };
const OFFLINE_FLOW_DESCRIPTION = {
  description:
    'True: starts are queued while no connected agent can run them. False: they are refused with AGENT_OFFLINE.',
};

export class EnvironmentInput {
  @LineField(NAME_EXAMPLES)
  name!: string;

  @ProseField({ default: '' })
  description = '';

  @WordField({ default: 'windows' })
  os = 'windows';

  @WordField({ default: 'prod' })
  envType = 'prod';

  @FlagField({ ...OFFLINE_FLOW_DESCRIPTION, default: false })
  offlineFlow = false;

  @FlagField({ default: false })
  cancelQueueOnException = false;

  @WholeNumberField(1, MAX_CAPACITY, { ...CAPACITY_DESCRIPTION, default: 1 })
  capacity = 1;
}

export class EnvironmentChange {
  @LineField({ ...NAME_EXAMPLES, optional: true })
  name?: string;

  @ProseField({ optional: true })
  description?: string;

  @WordField({ optional: true })
  os?: string;

  @WordField({ optional: true })
  envType?: string;

  @FlagField({ ...OFFLINE_FLOW_DESCRIPTION, optional: true })
  offlineFlow?: boolean;

  @FlagField({ optional: true })
  cancelQueueOnException?: boolean;

  @WholeNumberField(1, MAX_CAPACITY, { ...CAPACITY_DESCRIPTION, optional: true })
  capacity?: number;

  @FlagField({ optional: true, description: 'Only administrators, for an environment of an administrator.' })
  shared?: boolean;
}

/** The answer to adding an environment or rotating its key; no other answer shows the activation key. */
export class ActivationKeyAnswer {
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

  @ApiProperty(OFFLINE_FLOW_DESCRIPTION)
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

  @ApiProperty({
    type: [String],
    description: 'The step types that it runs, and features that flows may need: mapping, ocr.',
    examples: [['ocr', 'rest', 'script', 'wait']],
  })
  abilities!: readonly string[];

  @IntegerField({ description: 'Instances that it runs at the same time.' })
  capacity!: number;

  @TimeField()
  connectedAt!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Fingerprint of the public key to which its secret values are sealed, as `batuta-agent doctor` shows it; null when it gets them in clear.',
    example: 'SHA256:MAyclgO5Kks57TlYv5JAEUgE20/TcwEsDKR0MtY0Ja4',
  })
  keyFingerprint!: string | null;
}

export class AgentList {
  /** The agents that are connected now, newest connection first, at most `limit`; older connections are left out. */
  @ApiProperty({ type: [AgentAnswer] })
  agents!: AgentAnswer[];
}

export class EnvironmentList {
  @ApiProperty({ type: [EnvironmentAnswer] })
  environments!: EnvironmentAnswer[];
}
