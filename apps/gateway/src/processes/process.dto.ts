import type { Permission } from '@batuta/auth';
import { INSTANCE_STATUSES, type HistoryItem, type InstanceStatus } from '@batuta/contracts';
import { MATRIX_TYPES, type MatrixDefinition, type MatrixType } from '@batuta/matrix';
import { ANY_JSON } from '@batuta/openapi';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

/** The path parameter of a process id, described for `@ApiParam`. The authorization pipeline checks the id, so no DTO does. */
export const PROCESS_ID_PARAMETER = {
  name: 'pid',
  description: 'The process.',
  schema: { type: 'string', format: 'uuid' },
};

@ApiSchema({ name: 'Permissions' })
export class PermissionsDto implements Record<Permission, boolean> {
  @ApiProperty()
  execute!: boolean;

  @ApiProperty()
  edit!: boolean;

  @ApiProperty()
  api!: boolean;

  @ApiProperty()
  schedule!: boolean;

  @ApiProperty()
  delete!: boolean;

  @ApiProperty()
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
    description: 'The environment that the process is registered on; empty without one that its owner reaches.',
  })
  agentName!: string;

  @ApiProperty()
  active!: boolean;

  @ApiPropertyOptional({ description: 'Of own processes only.' })
  paused?: boolean;

  @ApiProperty()
  owned!: boolean;

  @ApiPropertyOptional({ description: 'Of shared processes only.' })
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

  @ApiProperty({ ...ANY_JSON, description: 'What a start takes when no value is sent. Always empty for Secreto.' })
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

  @ApiProperty()
  agentName!: string;

  @ApiProperty()
  active!: boolean;

  @ApiProperty()
  apiEnabled!: boolean;

  @ApiProperty({ type: 'integer', minimum: 0, description: '0 when nothing is published.' })
  currentVersion!: number;

  @ApiProperty({ description: 'What a person needs for one execution, HH:MM:SS.' })
  avgHumanTime!: string;

  @ApiProperty({ description: 'Money per hour.' })
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

  @ApiProperty({ enum: INSTANCE_STATUSES })
  status!: InstanceStatus;

  @ApiProperty({ format: 'date-time' })
  startedAt!: string;

  @ApiProperty({ format: 'date-time' })
  finishedAt!: string;

  @ApiProperty({ type: 'integer', minimum: 0 })
  durationSeconds!: number;

  @ApiProperty()
  savingsValue!: number;

  @ApiProperty()
  fteHours!: number;
}

@ApiSchema({ name: 'OlderExecutions' })
export class OlderExecutionsDto {
  @ApiProperty({ description: 'The place of the last execution of this answer, and the first day of the history.' })
  before!: string;
}

@ApiSchema({ name: 'History' })
export class HistoryDto {
  @ApiProperty({ format: 'date' })
  from!: string;

  @ApiProperty({ format: 'date' })
  to!: string;

  @ApiProperty({ type: [ExecutionDto] })
  executions!: ExecutionDto[];

  @ApiPropertyOptional({
    description: 'Only there when older executions exist in these days: `?before=` with this text reads them.',
  })
  older?: OlderExecutionsDto;
}
