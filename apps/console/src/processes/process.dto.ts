import { MAX_VARIABLES } from '@batuta/matrix';
import { ApiProperty } from '@nestjs/swagger';
import { PermissionsAnswer } from '../access/permissions.dto';
import { IDField, IntegerField, TimeField } from '../http/answers';
import { Amount, Flag, Line, ListField, OneOf, Pattern, Prose, ResourceID } from '../http/fields';
import { NewVariable, VariableAnswer } from '../matrix/matrix.dto';

const NAME = { examples: ['Orders'] };
const HUMAN_TIME = /^\d{2,3}:[0-5]\d:[0-5]\d$/;
const NOT_HUMAN_TIME = 'must be HH:MM:SS, such as 00:15:00';
const AVG_HUMAN_TIME = { examples: ['00:15:00'], description: 'Time that a person needs for one execution.' };
const MAX_COST = 999_999_999_999;
const AVG_OPERATOR_COST = { examples: [42.5], description: 'Money per hour.' };
const ENVIRONMENT_ID = { nullable: true, description: 'One’s own environment or one that the company shares.' };
const API_PERMISSIONS = ['LIBERADO', 'BLOQUEADO'] as const;

type ApiPermission = (typeof API_PERMISSIONS)[number];

export class ProcessInput {
  @Line(NAME)
  processName!: string;

  @Prose({ default: '' })
  description = '';

  @ResourceID({ ...ENVIRONMENT_ID, default: null })
  environmentID: string | null = null;

  @Pattern(HUMAN_TIME, NOT_HUMAN_TIME, { ...AVG_HUMAN_TIME, default: '00:00:00' })
  avgHumanTime = '00:00:00';

  @Amount(MAX_COST, { ...AVG_OPERATOR_COST, default: 0 })
  avgOperatorCost = 0;

  @ListField(() => NewVariable, MAX_VARIABLES, { default: [] })
  matrix: NewVariable[] = [];
}

export class ProcessChange {
  @Line({ ...NAME, optional: true })
  processName?: string;

  @Prose({ optional: true })
  description?: string;

  @ResourceID({ ...ENVIRONMENT_ID, optional: true })
  environmentID?: string | null;

  @Pattern(HUMAN_TIME, NOT_HUMAN_TIME, { ...AVG_HUMAN_TIME, optional: true })
  avgHumanTime?: string;

  @Amount(MAX_COST, { ...AVG_OPERATOR_COST, optional: true })
  avgOperatorCost?: number;

  @Flag({ optional: true })
  active?: boolean;

  @Flag({ optional: true, description: 'While true its schedules do not fire.' })
  paused?: boolean;

  @OneOf(API_PERMISSIONS, { optional: true })
  apiPermission?: ApiPermission;
}

export class RegisteredProcess {
  @IDField()
  processID!: string;
}

export class ProcessSummary {
  @IDField()
  processID!: string;

  @ApiProperty()
  processName!: string;

  @IDField({ nullable: true })
  environmentID!: string | null;

  @ApiProperty()
  active!: boolean;

  @ApiProperty()
  paused!: boolean;

  @IntegerField({ description: '0 while nothing is published.' })
  currentVersion!: number;

  @ApiProperty()
  owned!: boolean;

  @ApiProperty({ required: false, description: 'Only of a process of someone else.' })
  ownerName?: string;

  @ApiProperty({ required: false, description: 'Only of a process of someone else.' })
  permissions?: PermissionsAnswer;
}

export class ProcessList {
  @ApiProperty({ type: [ProcessSummary] })
  processes!: ProcessSummary[];
}

export class ProcessAnswer extends ProcessSummary {
  @ApiProperty()
  description!: string;

  @ApiProperty({ enum: API_PERMISSIONS })
  apiPermission!: ApiPermission;

  @ApiProperty()
  avgHumanTime!: string;

  @ApiProperty()
  avgOperatorCost!: number;

  @TimeField()
  createdAt!: string;

  @ApiProperty({ type: [VariableAnswer] })
  matrix!: VariableAnswer[];
}
