import type { AuthorizedProcess, Caller } from '@batuta/auth';
import { execution } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Controller, Get, Inject, Query, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../access/caller.guard';
import { ProcessGuard } from '../access/process.guard';
import { Clock } from '../clock';
import { CallerOf, ProcessOf } from '../http/request';
import { readHistoryRange } from './history-range';
import { ProcessesRepository } from './processes.repository';

/** Spec 4.4 to 4.7. Reading needs the process key and a link to the process, no permission of the share (reading 12). */
@Controller('v1/processes')
@UseGuards(CallerGuard)
export class ProcessesController {
  constructor(
    @Inject(ProcessesRepository) private readonly processes: ProcessesRepository,
    @Inject(Rpc) private readonly rpc: Rpc,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get()
  async list(@CallerOf() { accountID }: Caller) {
    return { processes: await this.processes.reachable(accountID) };
  }

  @Get(':pid')
  @UseGuards(ProcessGuard)
  async detail(@ProcessOf() { processID }: AuthorizedProcess) {
    const [detail, matrix] = await Promise.all([this.processes.detail(processID), this.processes.matrix(processID)]);
    if (!detail) throw new ApiError('PROCESS_NOT_FOUND', 'processID: no such process');
    return { ...detail, matrix };
  }

  @Get(':pid/matrix')
  @UseGuards(ProcessGuard)
  async matrix(@ProcessOf() { processID }: AuthorizedProcess) {
    return { matrix: await this.processes.matrix(processID) };
  }

  @Get(':pid/executions')
  @UseGuards(ProcessGuard)
  async executions(@ProcessOf() { processID }: AuthorizedProcess, @Query() query: Record<string, unknown>) {
    const range = readHistoryRange(query, this.clock.now());
    const { executions } = await this.rpc.call(execution.history, { processID, ...range });
    return { from: range.from, to: range.to, executions };
  }
}
