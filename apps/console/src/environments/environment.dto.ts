import { ApiProperty } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import { FlagField, LineField, ProseField, WholeNumberField, WordField } from '../http/fields';

const NAME_EXAMPLES = { examples: ['Finance robots'] };
const MAX_CAPACITY = 1_000;
const CAPACITY_DESCRIPTION = {
  description:
    'Maximum number of instances that each agent of the environment runs at the same time; an agent may have a lower limit of its own.',
};
const CANCEL_QUEUE_DESCRIPTION = {
  description:
    'True: when an instance other than a debug run ends with the status `error`, the instances that wait in the queue of the ' +
    'environment are stopped, and their credits returned.',
};
const LABEL_DESCRIPTION = { description: 'Only shown: which agents may connect does not depend on it.' };
const SHARED_DESCRIPTION = 'True: every account of the company sees the environment and may run processes in it.';
const OFFLINE_FLOW_DESCRIPTION = {
  description:
    'True: starts are queued while no connected agent can run them. False: they are refused with AGENT_OFFLINE.',
};

export class EnvironmentInput {
  @LineField(NAME_EXAMPLES)
  name!: string;

  @ProseField({ default: '' })
  description = '';

  @WordField({ ...LABEL_DESCRIPTION, default: 'windows' })
  os = 'windows';

  @WordField({ ...LABEL_DESCRIPTION, default: 'prod' })
  envType = 'prod';

  @FlagField({ ...OFFLINE_FLOW_DESCRIPTION, default: false })
  offlineFlow = false;

  @FlagField({ ...CANCEL_QUEUE_DESCRIPTION, default: false })
  cancelQueueOnException = false;

  @WholeNumberField(1, MAX_CAPACITY, { ...CAPACITY_DESCRIPTION, default: 1 })
  capacity = 1;
}

export class EnvironmentChange {
  @LineField({ ...NAME_EXAMPLES, optional: true })
  name?: string;

  @ProseField({ optional: true })
  description?: string;

  @WordField({ ...LABEL_DESCRIPTION, optional: true })
  os?: string;

  @WordField({ ...LABEL_DESCRIPTION, optional: true })
  envType?: string;

  @FlagField({ ...OFFLINE_FLOW_DESCRIPTION, optional: true })
  offlineFlow?: boolean;

  @FlagField({ ...CANCEL_QUEUE_DESCRIPTION, optional: true })
  cancelQueueOnException?: boolean;

  @WholeNumberField(1, MAX_CAPACITY, { ...CAPACITY_DESCRIPTION, optional: true })
  capacity?: number;

  @FlagField({
    optional: true,
    description: `${SHARED_DESCRIPTION} Only administrators change it, and to true only for an environment that an administrator owns.`,
  })
  shared?: boolean;
}

/** The answer to adding an environment or rotating its key; no other answer shows the activation key. */
export class ActivationKeyAnswer {
  @IDField()
  environmentID!: string;

  @ApiProperty({
    examples: ['bak_…'],
    description: 'Shown once. Agents connect with it to the environment until it is replaced.',
  })
  activationKey!: string;
}

export class EnvironmentAnswer {
  @IDField()
  environmentID!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty({ description: 'Whether any agent is connected now, whatever steps it can run.' })
  online!: boolean;

  @ApiProperty(OFFLINE_FLOW_DESCRIPTION)
  offlineFlow!: boolean;

  @ApiProperty(CANCEL_QUEUE_DESCRIPTION)
  cancelQueueOnException!: boolean;

  @IntegerField(CAPACITY_DESCRIPTION)
  capacity!: number;

  @ApiProperty(LABEL_DESCRIPTION)
  envType!: string;

  @ApiProperty(LABEL_DESCRIPTION)
  os!: string;

  @ApiProperty({ description: SHARED_DESCRIPTION })
  shared!: boolean;

  @ApiProperty({ description: 'Whether the account of the caller owns it, and not another one of the company.' })
  owned!: boolean;
}

export class AgentAnswer {
  @ApiProperty({ description: 'The name that the agent gives itself.' })
  name!: string;

  @ApiProperty({ description: 'The version of the program of the agent, as the agent announced it.' })
  runtimeVersion!: string;

  @ApiProperty({
    type: [String],
    description: 'The step types that it runs, and features that flows may need: mapping, ocr.',
    examples: [['ocr', 'rest', 'script', 'wait']],
  })
  abilities!: readonly string[];

  @IntegerField({
    description:
      'How many instances the agent itself allows at the same time; it gets no more than the `capacity` of the environment.',
  })
  capacity!: number;

  @TimeField({ description: 'When its present connection began.' })
  connectedAt!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Fingerprint of the public key to which its secret values are sealed, as `batuta-agent doctor` shows it; null for an agent without a key.',
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
