import type { AuthenticatedCaller, AuthorizedProcess } from '@batuta/auth';
import { execution } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Authorize } from '../authorization/authorize';
import { GatewayClock } from '../common/gateway-clock';
import { CallerOf, ProcessOf } from '../http/request';
import { HistoryQuery } from './history-query.dto';
import { formatHistoryCursor, readHistoryCursor } from './history-cursor';
import { resolveHistoryRange } from './history-range';
import { HistoryDto, MatrixListDto, PROCESS_ID_PARAMETER, ProcessDto, ProcessListDto } from './process.dto';
import { HISTORY_EXAMPLE, MATRIX_EXAMPLE, PROCESS_EXAMPLE, PROCESSES_EXAMPLE } from './process-examples';
import { ProcessRepository } from './process.repository';

/**
 * The routes of processes (contract 4.4 to 4.7). All but the list need the key of the process and a caller that owns it or has a share of
 * it, with whatever permissions (interpretation 12).
 */
@ApiTags('Processes')
@Controller('v1/processes')
export class ProcessesController {
  constructor(
    private readonly processes: ProcessRepository,
    private readonly rpc: Rpc,
    private readonly clock: GatewayClock,
  ) {}

  // The list has no pages, and other accounts may share any number of processes with this one: LargeAnswers bounds the memory of such answers.
  @Get()
  @Authorize()
  @ApiOperation({ summary: 'List the processes' })
  @ApiResponse({
    status: 200,
    description: 'Own processes, then shared ones.',
    type: ProcessListDto,
    example: PROCESSES_EXAMPLE,
  })
  async list(@CallerOf() { accountID }: AuthenticatedCaller): Promise<ProcessListDto> {
    return { processes: await this.processes.findReachable(accountID) };
  }

  @Get(':pid')
  @Authorize({ process: 'path' })
  @ApiOperation({ summary: 'Look at a process' })
  @ApiParam(PROCESS_ID_PARAMETER)
  @ApiResponse({ status: 200, description: 'The process.', type: ProcessDto, example: PROCESS_EXAMPLE })
  async detail(@ProcessOf() { processID }: AuthorizedProcess): Promise<ProcessDto> {
    const [detail, matrix] = await Promise.all([
      this.processes.findDetail(processID),
      this.processes.findMatrix(processID),
    ]);
    if (!detail) throw new ApiError('PROCESS_NOT_FOUND', 'processID: no such process');
    return { ...detail, matrix };
  }

  @Get(':pid/matrix')
  @Authorize({ process: 'path' })
  @ApiOperation({ summary: 'List the variables of a process' })
  @ApiParam(PROCESS_ID_PARAMETER)
  @ApiResponse({
    status: 200,
    description: 'In the order of registration.',
    type: MatrixListDto,
    example: MATRIX_EXAMPLE,
  })
  async matrix(@ProcessOf() { processID }: AuthorizedProcess): Promise<MatrixListDto> {
    return { matrix: await this.processes.findMatrix(processID) };
  }

  @Get(':pid/executions')
  @Authorize({ process: 'path' })
  @ApiOperation({
    summary: 'List what a process has run',
    description: `Executions that have ended, newest first, among those that began from the one day to the other. \`older\` says that
further ones exist: send what it holds with the same query.`,
  })
  @ApiParam(PROCESS_ID_PARAMETER)
  @ApiResponse({ status: 200, description: 'The history.', type: HistoryDto, example: HISTORY_EXAMPLE })
  async executions(@ProcessOf() { processID }: AuthorizedProcess, @Query() query: HistoryQuery): Promise<HistoryDto> {
    const position = query.before === undefined ? undefined : readHistoryCursor(query.before);
    const range = resolveHistoryRange(query, this.clock.now(), position?.from);
    const page = { limit: query.limit, before: position?.id, beforeTime: position?.startedAt };
    const { executions, older } = await this.rpc.call(execution.history, { processID, ...range, ...page });
    const last = executions.at(-1);
    return { ...range, executions, ...(older && last && { older: { before: formatHistoryCursor(range.from, last) } }) };
  }
}
