import type { Permission } from '@batuta/auth';
import { INSTANCE_STATUSES, type HistoryItem, type InstanceStatus } from '@batuta/contracts';
import { MATRIX_TYPES, type MatrixDefinition, type MatrixType } from '@batuta/matrix';
import { ANY_JSON } from '@batuta/openapi';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import {
  DURATION_DESCRIPTION,
  FTE_HOURS_DESCRIPTION,
  SAVINGS_VALUE_DESCRIPTION,
  STARTED_AT_DESCRIPTION,
} from '../instances/instance.dto';

const ACTIVE_DESCRIPTION =
  'False: starts of the published version are refused with `PROCESS_NOT_PUBLISHED`, also those of webhooks and schedules.';

/** The path parameter of a process id, described for `@ApiParam`. The authorization pipeline checks the id, so no DTO does. */
export const PROCESS_ID_PARAMETER = {
  name: 'pid',
  description: 'The process.',
  schema: { type: 'string', format: 'uuid' },
};

@ApiSchema({ name: 'Permissions' })
export class PermissionsDto implements Record<Permission, boolean> {
  @ApiProperty({ description: 'Start the process.' })
  execute!: boolean;

  @ApiProperty({
    description: 'Change its settings, flow and webhooks, publish it, and start debug runs; in the console.',
  })
  edit!: boolean;

  @ApiProperty({ description: 'See and revoke its process keys, in the console; no start over this API needs it.' })
  api!: boolean;

  @ApiProperty({ description: 'Create schedules of it.' })
  schedule!: boolean;

  @ApiProperty({ description: 'Delete the process, in the console.' })
  delete!: boolean;

  @ApiProperty({ description: 'Manage its shares, in the console.' })
  share!: boolean;
}

/** A process in the list of processes (contract 2.3). */
@ApiSchema({ name: 'ProcessSummary' })
export class ProcessSummaryDto {
  @ApiProperty({ format: 'uuid' })
  processID!: string;

  @ApiProperty()
  processName!: string;

  @ApiProperty({
    description:
      'The name of the environment that the process is registered on; empty without one that its owner may use.',
  })
  agentName!: string;

  @ApiProperty({ description: ACTIVE_DESCRIPTION })
  active!: boolean;

  @ApiPropertyOptional({
    description: 'True: its schedules do not fire, and other starts are accepted as usual. Of own processes only.',
  })
  paused?: boolean;

  @ApiProperty({
    description: 'Whether the account of the caller owns it; another account of the same company does not count.',
  })
  owned!: boolean;

  @ApiPropertyOptional({ description: 'The name of the account that owns it. Of shared processes only.' })
  ownerName?: string;

  @ApiPropertyOptional({ description: 'What the sharing grants; of shared processes only.' })
  permissions?: PermissionsDto;
}

@ApiSchema({ name: 'ProcessList' })
export class ProcessListDto {
  @ApiProperty({ type: [ProcessSummaryDto] })
  processes!: ProcessSummaryDto[];
}

/** A Matrix variable as callers see it (contract 2.5). */
@ApiSchema({ name: 'MatrixVariable' })
export class MatrixVariableDto implements MatrixDefinition {
  @ApiProperty({ description: 'The key in `matrix` objects.' })
  name!: string;

  @ApiProperty({ enum: MATRIX_TYPES })
  type!: MatrixType;

  @ApiProperty({
    ...ANY_JSON,
    description: 'What a start takes when no value, or null, is sent. Always empty for Secreto.',
  })
  default!: unknown;
}

@ApiSchema({ name: 'MatrixList' })
export class MatrixListDto {
  @ApiProperty({ type: [MatrixVariableDto] })
  matrix!: MatrixVariableDto[];
}

/** One process with its details (contract 2.4). */
@ApiSchema({ name: 'Process' })
export class ProcessDto {
  @ApiProperty({ format: 'uuid' })
  processID!: string;

  @ApiProperty()
  processName!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty({ description: 'As in the list of processes.' })
  agentName!: string;

  @ApiProperty({ description: ACTIVE_DESCRIPTION })
  active!: boolean;

  @ApiProperty({
    description:
      'False: calls with a key of the process, this one too, are refused with `API_DISABLED`, and its production webhooks with `WEBHOOK_DISABLED`.',
  })
  apiEnabled!: boolean;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'The number of the published version; 0 when nothing is published.',
  })
  currentVersion!: number;

  @ApiProperty({ description: 'The working time of a person that one execution replaces, HH:MM:SS.' })
  avgHumanTime!: string;

  @ApiProperty({ description: 'Money that an hour of that person costs.' })
  avgOperatorCost!: number;

  @ApiProperty({ type: [MatrixVariableDto] })
  matrix!: MatrixVariableDto[];
}

/** An ended execution in the history of a process (contract 2.7). */
@ApiSchema({ name: 'Execution' })
export class ExecutionDto implements HistoryItem {
  @ApiProperty({ format: 'uuid' })
  instanceID!: string;

  @ApiProperty({ format: 'uuid' })
  processID!: string;

  @ApiProperty({ description: 'The name that the process had when the start was accepted.' })
  processName!: string;

  @ApiProperty({
    enum: INSTANCE_STATUSES,
    description: 'Only `success`, `error`, `terminated` and `stopped` occur, because it has ended.',
  })
  status!: InstanceStatus;

  @ApiProperty({ format: 'date-time', description: STARTED_AT_DESCRIPTION })
  startedAt!: string;

  @ApiProperty({ format: 'date-time' })
  finishedAt!: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: DURATION_DESCRIPTION })
  durationSeconds!: number;

  @ApiProperty({ description: SAVINGS_VALUE_DESCRIPTION })
  savingsValue!: number;

  @ApiProperty({ description: FTE_HOURS_DESCRIPTION })
  fteHours!: number;
}

@ApiSchema({ name: 'OlderExecutions' })
export class OlderExecutionsDto {
  @ApiProperty({
    description: 'A cursor: the place of the last execution of this answer, and the first day of the history.',
  })
  before!: string;
}

@ApiSchema({ name: 'History' })
export class HistoryDto {
  @ApiProperty({ format: 'date', description: 'The first day, in America/Sao_Paulo, as sent or by default.' })
  from!: string;

  @ApiProperty({ format: 'date', description: 'The last day, inclusive, in America/Sao_Paulo, as sent or by default.' })
  to!: string;

  @ApiProperty({ type: [ExecutionDto], description: 'Newest first, without debug runs.' })
  executions!: ExecutionDto[];

  @ApiPropertyOptional({
    description: 'Only there when older executions exist in these days: `?before=` with this text reads them.',
  })
  older?: OlderExecutionsDto;
}
