import { MAX_VARIABLES } from '@batuta/matrix';
import { ApiProperty } from '@nestjs/swagger';
import { PermissionsAnswer } from '../access/permissions.dto';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import {
  AmountField,
  FlagField,
  LineField,
  ListField,
  OneOfField,
  PatternField,
  ProseField,
  ResourceIDField,
} from '../http/fields';
import { NewVariable, VariableAnswer } from '../matrix/matrix.dto';

const NAME_EXAMPLES = { examples: ['Orders'] };
const HUMAN_TIME_PATTERN = /^\d{2,3}:[0-5]\d:[0-5]\d$/;
const NOT_HUMAN_TIME_MESSAGE = 'must be HH:MM:SS, such as 00:15:00';
const AVG_HUMAN_TIME_FIELD = {
  examples: ['00:15:00'],
  description:
    'Time that a person needs for one execution; the saved hours of an execution are those of the value at its end.',
};
const MAX_COST = 999_999_999_999;
const AVG_OPERATOR_COST_FIELD = { examples: [42.5], description: 'Money per hour of a person’s work.' };
const ENVIRONMENT_ID_FIELD = {
  nullable: true,
  description:
    'Where a start runs that names no environment: one of the owner of the process, or one that the owner’s company shares. null = such a ' +
    'start is refused.',
};
const ACTIVE_FIELD = {
  description: 'False: every start but that of a debug run is refused with PROCESS_NOT_PUBLISHED.',
};
const PAUSED_FIELD = {
  description: 'While true its schedules do not fire, and their times are recorded as skipped; other starts go on.',
};
const API_PERMISSION_FIELD = {
  description:
    '`LIBERADO`: third parties may start the process and read it over the API, and call its production URLs. `BLOQUEADO`: they may not. ' +
    'Schedules and runs by hand do not depend on it.',
};
const API_PERMISSIONS = ['LIBERADO', 'BLOQUEADO'] as const;

type ApiPermission = (typeof API_PERMISSIONS)[number];

export class ProcessInput {
  @LineField(NAME_EXAMPLES)
  processName!: string;

  @ProseField({ default: '' })
  description = '';

  @ResourceIDField({ ...ENVIRONMENT_ID_FIELD, default: null })
  environmentID: string | null = null;

  @PatternField(HUMAN_TIME_PATTERN, NOT_HUMAN_TIME_MESSAGE, { ...AVG_HUMAN_TIME_FIELD, default: '00:00:00' })
  avgHumanTime = '00:00:00';

  @AmountField(MAX_COST, { ...AVG_OPERATOR_COST_FIELD, default: 0 })
  avgOperatorCost = 0;

  @ListField(() => NewVariable, MAX_VARIABLES, { default: [] })
  matrix: NewVariable[] = [];
}

export class ProcessChange {
  @LineField({ ...NAME_EXAMPLES, optional: true })
  processName?: string;

  @ProseField({ optional: true })
  description?: string;

  @ResourceIDField({ ...ENVIRONMENT_ID_FIELD, optional: true })
  environmentID?: string | null;

  @PatternField(HUMAN_TIME_PATTERN, NOT_HUMAN_TIME_MESSAGE, { ...AVG_HUMAN_TIME_FIELD, optional: true })
  avgHumanTime?: string;

  @AmountField(MAX_COST, { ...AVG_OPERATOR_COST_FIELD, optional: true })
  avgOperatorCost?: number;

  @FlagField({ ...ACTIVE_FIELD, optional: true })
  active?: boolean;

  @FlagField({ ...PAUSED_FIELD, optional: true })
  paused?: boolean;

  @OneOfField(API_PERMISSIONS, { ...API_PERMISSION_FIELD, optional: true })
  apiPermission?: ApiPermission;
}

export class RegisteredProcess {
  @IDField()
  processID!: string;
}

/** What the list and the detail of a process have in common. */
export class ProcessHead {
  @IDField()
  processID!: string;

  @ApiProperty()
  processName!: string;

  @IDField({
    nullable: true,
    description: 'Where a start runs that names no environment; null = such a start is refused.',
  })
  environmentID!: string | null;

  @ApiProperty(ACTIVE_FIELD)
  active!: boolean;

  @ApiProperty(PAUSED_FIELD)
  paused!: boolean;

  @IntegerField({ description: '0 while nothing is published.' })
  currentVersion!: number;

  @ApiProperty({
    description: 'Whether the account of the caller owns it; false for one that is shared with the account.',
  })
  owned!: boolean;

  @ApiProperty({
    required: false,
    description: 'Name of the owner’s account. Only of a process of someone else.',
  })
  ownerName?: string;

  @ApiProperty({ required: false, description: 'Only of a process of someone else.' })
  permissions?: PermissionsAnswer;
}

export class OriginCount {
  @IntegerField()
  total!: number;

  @IntegerField({ description: 'Those that are switched on.' })
  enabled!: number;
}

export class ProcessSummary extends ProcessHead {
  @ApiProperty({
    type: OriginCount,
    required: false,
    description: 'Its webhook origins. Only with the permission `edit`.',
  })
  origins?: OriginCount;
}

export class ProcessList {
  @ApiProperty({ type: [ProcessSummary] })
  processes!: ProcessSummary[];
}

/**
 * A process of the caller's company, which may be out of the caller's reach; administrators choose the process of an event subscription
 * from these.
 */
export class CompanyProcess {
  @IDField()
  processID!: string;

  @ApiProperty()
  processName!: string;

  @ApiProperty()
  ownerName!: string;
}

export class CompanyProcessList {
  @ApiProperty({ type: [CompanyProcess] })
  processes!: CompanyProcess[];
}

export class ProcessAnswer extends ProcessHead {
  @ApiProperty()
  description!: string;

  @ApiProperty({ enum: API_PERMISSIONS, ...API_PERMISSION_FIELD })
  apiPermission!: ApiPermission;

  @ApiProperty({
    required: false,
    description:
      'Whether the plan of the owner’s company has API access, without which production URLs are refused; a start over the API needs it in the plan of its caller. Absent while replicas of an earlier release answer.',
  })
  apiAccess?: boolean;

  @ApiProperty(AVG_HUMAN_TIME_FIELD)
  avgHumanTime!: string;

  @ApiProperty(AVG_OPERATOR_COST_FIELD)
  avgOperatorCost!: number;

  @TimeField()
  createdAt!: string;

  @ApiProperty({ type: [VariableAnswer] })
  matrix!: VariableAnswer[];
}
