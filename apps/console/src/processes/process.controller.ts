import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { Done } from '../http/response-fields';
import { requireChange } from '../http/body-pipes';
import { PageQuery } from '../http/page.dto';
import { ProcessPath } from '../http/path.dto';
import { MatrixService } from '../matrix/matrix.service';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { ProcessAccessService, type AccessibleProcess } from '../access/process-access.service';
import { ProcessService } from './process.service';
import { ProcessAnswer, ProcessChange, ProcessHead, ProcessInput, ProcessList, RegisteredProcess } from './process.dto';

const audience = 'company';

@ApiTags('Processes')
@Controller(`${BASE_PATH}/processes`)
export class ProcessController {
  constructor(
    private readonly processes: ProcessService,
    private readonly access: ProcessAccessService,
    private readonly matrix: MatrixService,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Register a process with its Matrix',
    audience,
    answer: RegisteredProcess,
    status: 201,
    errors: ['INVALID_MATRIX', 'INVALID_ENVIRONMENT', 'QUOTA_EXCEEDED'],
  })
  async add(@CompanyCallerOf() caller: CompanyCaller, @Body() input: ProcessInput): Promise<RegisteredProcess> {
    return { processID: await this.processes.add(caller, input) };
  }

  @Get()
  @Endpoint({ summary: 'List own and shared processes, newest first', audience, answer: ProcessList })
  async list(@CompanyCallerOf() caller: CompanyCaller, @Query() query: PageQuery): Promise<ProcessList> {
    const accessible = await this.processes.list(caller, query);
    const [names, origins] = await Promise.all([
      this.processes.ownerNames(accessible.map(({ process }) => process)),
      this.processes.originCounts(accessible),
    ]);
    const processes = accessible.map((one) =>
      Object.assign(toHead(one, names), { origins: origins.get(one.process.id) }),
    );
    return { processes };
  }

  @Get(':pid')
  @Endpoint({
    summary: 'A process and its Matrix',
    description: 'A share is enough to read.',
    audience,
    answer: ProcessAnswer,
    errors: PROCESS_ERRORS,
  })
  async read(@CompanyCallerOf() { accountID }: CompanyCaller, @Param() { pid }: ProcessPath): Promise<ProcessAnswer> {
    return this.toAnswer(await this.access.requireReadable(accountID, pid));
  }

  @Patch(':pid')
  @Endpoint({
    summary: 'Change a process',
    description: 'Needs the permission `edit`.',
    audience,
    answer: ProcessAnswer,
    errors: [...PROCESS_ERRORS, 'INVALID_ENVIRONMENT'],
  })
  async change(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body(requireChange) change: ProcessChange,
  ): Promise<ProcessAnswer> {
    await this.access.require(caller.accountID, pid, 'edit');
    return this.toAnswer(await this.processes.change(caller, pid, change));
  }

  @Delete(':pid')
  @Endpoint({
    summary: 'Delete a process with its versions, keys and shares',
    description: 'Needs the permission `delete`. Refused while it has queued or running instances.',
    audience,
    answer: Done,
    errors: [...PROCESS_ERRORS, 'CONFLICT'],
  })
  async remove(@CompanyCallerOf() caller: CompanyCaller, @Param() { pid }: ProcessPath): Promise<Done> {
    await this.access.require(caller.accountID, pid, 'delete');
    await this.processes.remove(caller, pid);
    return { ok: true };
  }

  private async toAnswer(accessible: AccessibleProcess): Promise<ProcessAnswer> {
    const { process } = accessible;
    const [names, matrix, apiAccess] = await Promise.all([
      this.processes.ownerNames([process]),
      this.matrix.read(process.id),
      this.processes.hasApiAccess(process),
    ]);
    const { description, apiEnabled, avgHumanTime, avgOperatorCost, createdAt } = process;
    return Object.assign(toHead(accessible, names), {
      description,
      apiPermission: apiEnabled ? ('LIBERADO' as const) : ('BLOQUEADO' as const),
      apiAccess,
      avgHumanTime,
      avgOperatorCost,
      createdAt: createdAt.toISOString(),
      matrix,
    });
  }
}

function toHead({ process, owned, permissions }: AccessibleProcess, ownerNames: Map<string, string>): ProcessHead {
  const { id, accountID, processName, environmentID, active, paused, currentVersion } = process;
  const own = { processID: id, processName, environmentID, active, paused, currentVersion, owned };
  return owned ? own : { ...own, ownerName: ownerNames.get(accountID) ?? '', permissions };
}
