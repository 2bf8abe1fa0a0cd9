import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { done, page, type Page } from '../http/fields';
import { processID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { Matrix } from '../matrix/matrix';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { ProcessAccess, type ReachedProcess } from './process-access';
import { processAnswer, processChange, processInput, processList, processMade } from './process.schema';
import type { ProcessAnswer, ProcessChange, ProcessInput, ProcessSummary } from './process.schema';
import { Processes } from './processes';

const tag = 'Processes';
const who = 'company';
const params = ['pid'];
const NO_PROCESS = ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'] as const;

@Controller(`${BASE}/processes`)
export class ProcessController {
  constructor(
    private readonly processes: Processes,
    private readonly access: ProcessAccess,
    private readonly matrix: Matrix,
  ) {}

  @Post()
  @Endpoint({
    tag,
    summary: 'Register a process with its Matrix',
    who,
    body: processInput,
    answer: processMade,
    status: 201,
    errors: ['INVALID_MATRIX', 'INVALID_ENVIRONMENT'],
  })
  async add(
    @OfCompany() caller: CompanyCaller,
    @Body(new SchemaPipe(processInput)) input: ProcessInput,
  ): Promise<z.infer<typeof processMade>> {
    return { processID: await this.processes.add(caller, input) };
  }

  @Get()
  @Endpoint({ tag, summary: 'List own and shared processes, newest first', who, query: page, answer: processList })
  async list(
    @OfCompany() caller: CompanyCaller,
    @Query(new SchemaPipe(page)) query: Page,
  ): Promise<z.infer<typeof processList>> {
    const reached = await this.processes.list(caller, query);
    const names = await this.processes.ownerNames(reached.map(({ process }) => process));
    return { processes: reached.map((one) => toSummary(one, names)) };
  }

  @Get(':pid')
  @Endpoint({
    tag,
    summary: 'A process and its Matrix',
    description: 'A share is enough to read.',
    who,
    params,
    answer: processAnswer,
    errors: [...NO_PROCESS],
  })
  async read(@OfCompany() { accountID }: CompanyCaller, @Param('pid', processID) pid: string): Promise<ProcessAnswer> {
    return this.toAnswer(await this.access.reach(accountID, pid));
  }

  @Patch(':pid')
  @Endpoint({
    tag,
    summary: 'Change a process',
    description: 'Needs the permission `edit`.',
    who,
    params,
    body: processChange,
    answer: processAnswer,
    errors: [...NO_PROCESS, 'INVALID_ENVIRONMENT'],
  })
  async change(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Body(new SchemaPipe(processChange)) change: ProcessChange,
  ): Promise<ProcessAnswer> {
    const reached = await this.access.require(accountID, pid, 'edit');
    return this.toAnswer({ ...reached, process: await this.processes.change(pid, change) });
  }

  @Delete(':pid')
  @Endpoint({
    tag,
    summary: 'Delete a process with its versions, keys and shares',
    description: 'Needs the permission `delete`. Refused while it has queued or running instances.',
    who,
    params,
    answer: done,
    errors: [...NO_PROCESS, 'CONFLICT'],
  })
  async remove(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
  ): Promise<z.infer<typeof done>> {
    await this.access.require(accountID, pid, 'delete');
    await this.processes.remove(pid);
    return { ok: true };
  }

  private async toAnswer(reached: ReachedProcess): Promise<ProcessAnswer> {
    const { process } = reached;
    const [names, matrix] = await Promise.all([this.processes.ownerNames([process]), this.matrix.read(process.id)]);
    const { description, apiEnabled, avgHumanTime, avgOperatorCost, createdAt } = process;
    return {
      ...toSummary(reached, names),
      description,
      apiPermission: apiEnabled ? 'LIBERADO' : 'BLOQUEADO',
      avgHumanTime,
      avgOperatorCost,
      createdAt: createdAt.toISOString(),
      matrix,
    };
  }
}

function toSummary({ process, owned, permissions }: ReachedProcess, ownerNames: Map<string, string>): ProcessSummary {
  const { id, accountID, processName, environmentID, active, paused, currentVersion } = process;
  const own = { processID: id, processName, environmentID, active, paused, currentVersion, owned };
  return owned ? own : { ...own, ownerName: ownerNames.get(accountID) ?? '', permissions };
}
