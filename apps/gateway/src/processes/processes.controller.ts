import type { AuthorizedProcess, Caller } from '@batuta/auth';
import { execution } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../access/caller.guard';
import { ProcessGuard } from '../access/process.guard';
import { Clock } from '../clock';
import { CallerOf, ProcessOf } from '../http/request';
import { Endpoint } from '../openapi/endpoint';
import { readHistoryRange } from './history-range';
import { HISTORY, MATRIX, PROCESS, PROCESSES } from './process.examples';
import { history, historyQuery, matrixList, processDetail, processList, PROCESS_ID } from './process.schema';
import { ProcessesRepository } from './processes.repository';

const tag = 'Processes';
const params = { pid: PROCESS_ID };

/** Contract 4.4 to 4.7. Reading needs the process key and a link to the process, no permission of the share (interpretation 12). */
@Controller('v1/processes')
@UseGuards(CallerGuard)
export class ProcessesController {
  constructor(
    private readonly processes: ProcessesRepository,
    private readonly rpc: Rpc,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Endpoint({
    tag,
    summary: 'List the processes',
    access: 'account',
    answers: [
      { status: 200, description: 'Own processes, then shared ones.', schema: processList, example: PROCESSES },
    ],
  })
  async list(@CallerOf() { accountID }: Caller) {
    return { processes: await this.processes.reachable(accountID) };
  }

  @Get(':pid')
  @UseGuards(ProcessGuard)
  @Endpoint({
    tag,
    summary: 'Look at a process',
    access: 'process',
    params,
    answers: [{ status: 200, description: 'The process.', schema: processDetail, example: PROCESS }],
  })
  async detail(@ProcessOf() { processID }: AuthorizedProcess) {
    const [detail, matrix] = await Promise.all([this.processes.detail(processID), this.processes.matrix(processID)]);
    if (!detail) throw new ApiError('PROCESS_NOT_FOUND', 'processID: no such process');
    return { ...detail, matrix };
  }

  @Get(':pid/matrix')
  @UseGuards(ProcessGuard)
  @Endpoint({
    tag,
    summary: 'List the variables of a process',
    access: 'process',
    params,
    answers: [{ status: 200, description: 'In the order of registration.', schema: matrixList, example: MATRIX }],
  })
  async matrix(@ProcessOf() { processID }: AuthorizedProcess) {
    return { matrix: await this.processes.matrix(processID) };
  }

  @Get(':pid/executions')
  @UseGuards(ProcessGuard)
  @Endpoint({
    tag,
    summary: 'List what a process has run',
    description: 'Executions that have ended, newest first, among those that began from the one day to the other.',
    access: 'process',
    params,
    query: historyQuery,
    answers: [{ status: 200, description: 'The history.', schema: history, example: HISTORY }],
  })
  async executions(@ProcessOf() { processID }: AuthorizedProcess, @Query() query: Record<string, unknown>) {
    const range = readHistoryRange(query, this.clock.now());
    const { executions } = await this.rpc.call(execution.history, { processID, ...range });
    return { from: range.from, to: range.to, executions };
  }
}
