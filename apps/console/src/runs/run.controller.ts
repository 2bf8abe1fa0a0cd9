import { execution, type AuditEvent, type InstanceBody, type LogLine, type StartReply } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { limited } from '../http/fields';
import { instanceID, processID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { ProcessAccess } from '../processes/process-access';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { auditAnswer, instanceAnswer, instanceList, logsAnswer, logsQuery, runAnswer, runInput } from './run.schema';
import type { LogsQuery, RunInput } from './run.schema';
import { Starts } from './starts';

type Limited = z.output<typeof limited>;

const tag = 'Runs';
const who = 'company';
const NO_PROCESS = ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'] as const;

/** The manual run, and what execution knows of the instances of a process. */
@Controller(BASE)
export class RunController {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccess,
    private readonly starts: Starts,
  ) {}

  @Post('processes/:pid/run')
  @Endpoint({
    tag,
    summary: 'Run the published version by hand',
    description: 'Costs a credit, as a start over the API does. Needs the permission `execute`.',
    who,
    params: ['pid'],
    body: runInput,
    answer: runAnswer,
    also: { status: 202, description: 'Queued: the agent is offline and its environment keeps a queue.' },
    errors: [
      ...NO_PROCESS,
      'INVALID_MATRIX',
      'INVALID_ENVIRONMENT',
      'INSUFFICIENT_CREDITS',
      'PROCESS_NOT_PUBLISHED',
      'ROUTER_ERROR',
      'AGENT_OFFLINE',
    ],
  })
  async run(
    @OfCompany() { accountID, name, email }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Body(new SchemaPipe(runInput)) input: RunInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartReply> {
    await this.access.require(accountID, pid, 'execute');
    const trigger = { kind: 'manual' as const, accountID, userName: name, executor: email };
    return this.starts.start(response, (minted, patience) =>
      this.rpc.call(execution.start, { ...minted, processID: pid, trigger, ...input }, patience),
    );
  }

  @Get('processes/:pid/instances')
  @Endpoint({
    tag,
    summary: 'What runs or ran of a process, newest first',
    description: 'Manual and debug runs included. A share is enough to read.',
    who,
    params: ['pid'],
    query: limited,
    answer: instanceList,
    errors: [...NO_PROCESS],
  })
  async instances(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Query(new SchemaPipe(limited)) { limit }: Limited,
  ): Promise<{ instances: InstanceBody[] }> {
    await this.access.reach(accountID, pid);
    return this.rpc.call(execution.instances, { processID: pid, limit });
  }

  @Get('processes/:pid/audit')
  @Endpoint({
    tag,
    summary: 'The audit trail of a process, newest first',
    description: 'Needs the permission `edit`.',
    who,
    params: ['pid'],
    query: limited,
    answer: auditAnswer,
    errors: [...NO_PROCESS],
  })
  async audit(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Query(new SchemaPipe(limited)) { limit }: Limited,
  ): Promise<{ events: AuditEvent[] }> {
    await this.access.require(accountID, pid, 'edit');
    return this.rpc.call(execution.audit, { processID: pid, limit });
  }

  @Get('instances/:iid')
  @Endpoint({
    tag,
    summary: 'An instance',
    description: 'For who started it and for the owner of its process.',
    who,
    params: ['iid'],
    answer: instanceAnswer,
    errors: ['INSTANCE_NOT_FOUND'],
  })
  instance(@OfCompany() { accountID }: CompanyCaller, @Param('iid', instanceID) iid: string): Promise<InstanceBody> {
    return this.rpc.call(execution.instance, { instanceID: iid, viewer: { accountID } });
  }

  @Get('instances/:iid/logs')
  @Endpoint({
    tag,
    summary: 'The newest log lines of an instance, in chronological order',
    description: 'For who started it and for the owner of its process.',
    who,
    params: ['iid'],
    query: logsQuery,
    answer: logsAnswer,
    errors: ['INSTANCE_NOT_FOUND'],
  })
  logs(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('iid', instanceID) iid: string,
    @Query(new SchemaPipe(logsQuery)) query: LogsQuery,
  ): Promise<{ logs: LogLine[] }> {
    return this.rpc.call(execution.logs, { instanceID: iid, viewer: { accountID }, ...query });
  }
}
