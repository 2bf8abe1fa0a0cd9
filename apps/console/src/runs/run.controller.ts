import { execution, type AuditEvent, type InstanceBody, type LogPage, type StartReply } from '@batuta/contracts';
import { LargeAnswers, sendPicture } from '@batuta/http';
import { stringifyWithRaw } from '@batuta/json';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { BASE_PATH, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { ControlPath, EvidencePath, InstancePath, ProcessPath } from '../http/path.dto';
import { ProcessAccessService } from '../access/process-access.service';
import { CompanyCallerOf, toCaller, toStarter, type CompanyCaller } from '../sessions/caller';
import { FlowService } from '../flows/flow.service';
import { AuditTrailService } from './audit-trail.service';
import { formatInstanceCursor, readInstanceCursor } from './instance-cursor';
import { RunService } from './run.service';
import {
  AuditQuery,
  AuditTrail,
  EndedInstance,
  InstanceInProgress,
  InstanceList,
  InstancesQuery,
  LogList,
  LogsQuery,
} from './instance.dto';
import { ControlDone, DryRunAnswer, RunAnswer, RunInput } from './run.dto';
import { visibleStarter } from './visible-starter';

const audience = 'company';

/** The routes that start a process by hand, and that read and control its instances, which execution keeps. */
@ApiTags('Runs')
@Controller(BASE_PATH)
export class RunController {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
    private readonly runs: RunService,
    private readonly flows: FlowService,
    private readonly answers: LargeAnswers,
    private readonly trail: AuditTrailService,
  ) {}

  @Post('processes/:pid/run')
  @Endpoint({
    summary: 'Run the published version by hand',
    description: 'Costs a credit, as a start over the API does. Needs the permission `execute`.',
    audience,
    answer: RunAnswer,
    also: { status: 202, description: 'Queued: no connected agent can run it yet, and its environment keeps a queue.' },
    errors: [
      ...PROCESS_ERRORS,
      'INVALID_MATRIX',
      'INVALID_ENVIRONMENT',
      'INSUFFICIENT_CREDITS',
      'PROCESS_NOT_PUBLISHED',
      'ROUTER_ERROR',
      'AGENT_OFFLINE',
    ],
  })
  async run(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body() { matrix, environmentID }: RunInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartReply> {
    await this.access.require(caller.accountID, pid, 'execute');
    const trigger = { kind: 'manual' as const, ...toStarter(caller) };
    return this.runs.start(response, (identity, options) =>
      this.rpc.call(execution.start, { ...identity, processID: pid, trigger, matrix, environmentID }, options),
    );
  }

  @Post('processes/:pid/debug')
  @Endpoint({
    summary: "Run the development version with values of one's own",
    description: 'Costs nothing. Refused while the flow has problems. Needs the permission `edit`.',
    audience,
    answer: RunAnswer,
    also: { status: 202, description: 'Queued: no connected agent can run it yet, and its environment keeps a queue.' },
    errors: [
      ...PROCESS_ERRORS,
      'INVALID_MATRIX',
      'INVALID_ENVIRONMENT',
      'BAD_REQUEST',
      'ROUTER_ERROR',
      'AGENT_OFFLINE',
    ],
  })
  async debug(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body() { matrix, environmentID }: RunInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartReply> {
    await this.access.require(caller.accountID, pid, 'edit');
    await this.flows.requireRunnableDraft(pid);
    const trigger = { kind: 'debug' as const, ...toStarter(caller) };
    return this.runs.start(response, (identity, options) =>
      this.rpc.call(execution.start, { ...identity, processID: pid, trigger, matrix, environmentID }, options),
    );
  }

  @Post('processes/:pid/dry-run')
  @Endpoint({
    summary: 'What a run with these values would do',
    description:
      'Makes the checks of a run and converts its values; starts, stores and charges nothing. Needs the permission `execute`.',
    audience,
    answer: DryRunAnswer,
    errors: PROCESS_ERRORS,
  })
  async dryRun(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body() { matrix, environmentID }: RunInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    await this.access.require(caller.accountID, pid, 'execute');
    const trigger = { kind: 'manual' as const, ...toStarter(caller) };
    const request = { processID: pid, trigger, matrix, environmentID };
    const reply = await this.rpc.call(execution.dryRun, request, { raw: true });
    response.type('json');
    return stringifyWithRaw(reply).json;
  }

  @Get('processes/:pid/instances')
  @Endpoint({
    summary: 'What runs or ran of a process, newest first',
    description: 'Manual and debug runs included. A share shows the instances that one started, the owner sees all.',
    audience,
    answer: InstanceList,
    errors: PROCESS_ERRORS,
  })
  async instances(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Query() { limit, before }: InstancesQuery,
  ): Promise<{ instances: InstanceBody[]; older?: { before: string } }> {
    const accessible = await this.access.requireReadable(accountID, pid);
    const startedBy = visibleStarter(accessible, accountID);
    const position = before === undefined ? {} : readInstanceCursor(before);
    const page = await this.rpc.call(execution.instances, { processID: pid, limit, ...position, startedBy });
    const { instances, older, olderTime } = page;
    return { instances, ...(older && { older: { before: formatInstanceCursor(older.before, olderTime) } }) };
  }

  @Get('processes/:pid/audit')
  @Endpoint({
    summary: 'The audit trail of a process, newest first',
    description:
      'Needs the permission `edit`. A share shows what one did, and what became of the instances that one started, with the name of the owner ' +
      'as the `executor` of what the owner did; the owner sees all.',
    audience,
    answer: AuditTrail,
    errors: PROCESS_ERRORS,
  })
  audit(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Query() query: AuditQuery,
  ): Promise<{ events: AuditEvent[]; older?: { before: number } }> {
    return this.trail.page(caller, pid, query);
  }

  @Get('instances/:iid')
  @Endpoint({
    summary: 'An instance',
    description: 'For who started it and for the owner of its process.',
    audience,
    answer: [InstanceInProgress, EndedInstance],
    errors: ['INSTANCE_NOT_FOUND'],
  })
  instance(@CompanyCallerOf() { accountID }: CompanyCaller, @Param() { iid }: InstancePath): Promise<InstanceBody> {
    return this.rpc.call(execution.instance, { instanceID: iid, viewer: { accountID } });
  }

  @Post('instances/:iid/:action')
  @Endpoint({
    summary: 'Stop, pause or resume an instance',
    description: 'For who started it and for the owner of its process.',
    audience,
    answer: ControlDone,
    errors: ['INVALID_ACTION', 'INSTANCE_NOT_FOUND', 'INSTANCE_FINISHED', 'INSTANCE_UNRESOLVED'],
  })
  control(@CompanyCallerOf() caller: CompanyCaller, @Param() { iid, action }: ControlPath): Promise<ControlDone> {
    const [viewer, executor] = [toCaller(caller), caller.email];
    return this.rpc.call(execution.control, { instanceID: iid, action, viewer, executor });
  }

  @Get('instances/:iid/logs')
  @Endpoint({
    summary: 'The newest log lines of an instance, in chronological order',
    description:
      'The newest lines, or with `after` the oldest lines after that number: up to `limit`, and about 1 MB. When further lines exist, the answer has `older` or `newer`: the query parameter of the request that reads them. For who started it and for the owner of its process.',
    audience,
    answer: LogList,
    errors: ['INSTANCE_NOT_FOUND'],
  })
  logs(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { iid }: InstancePath,
    @Query() { limit, after, before }: LogsQuery,
  ): Promise<LogPage> {
    return this.rpc.call(execution.logs, { instanceID: iid, viewer: { accountID }, limit, after, before });
  }

  @Get('instances/:iid/evidence/:id')
  @Endpoint({
    summary: 'A picture that a step left as evidence',
    description:
      'The `evidence` of a log line names it: `/v1/instances/…`, which is `/manage/v1/instances/…` here. For who started the instance and for the owner of its process. While the agent still uploads it, NOT_FOUND says so.',
    audience,
    answer: 'picture',
    errors: ['INSTANCE_NOT_FOUND', 'NOT_FOUND'],
  })
  evidence(
    @CompanyCallerOf() { accountID, companyID }: CompanyCaller,
    @Param() { iid: instanceID, id: evidenceID }: EvidencePath,
    @Res() response: Response,
  ): Promise<void> {
    const request = { instanceID, evidenceID, viewer: { accountID } };
    return sendPicture(response, `evidence-${evidenceID}`, {
      read: (offset) => this.rpc.call(execution.evidence, { ...request, offset }),
      admit: (bytes, sentBytes) => this.answers.admit(companyID, response, bytes, sentBytes),
    });
  }
}
