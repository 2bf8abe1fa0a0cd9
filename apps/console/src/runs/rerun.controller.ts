import { execution, type RunDetails, type StartReply } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ProcessAccessService } from '../access/process-access.service';
import { InstancePath } from '../http/path.dto';
import { RunDetailsAnswer } from '../overview/run-list.dto';
import { CompanyCallerOf, toStarter, type CompanyCaller } from '../sessions/caller';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { environmentToRequest, RerunService } from './rerun.service';
import { RerunInput, RunAnswer } from './run.dto';
import { RunService } from './run.service';

const audience = 'company';

/** The routes that show an instance with its values, and that start a further run with the same or changed values. */
@ApiTags('Runs')
@Controller(BASE_PATH)
export class RerunController {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
    private readonly reruns: RerunService,
    private readonly runs: RunService,
  ) {}

  @Get('instances/:iid/details')
  @Endpoint({
    summary: 'An instance with the values that it started with',
    description: 'A Secreto is never among them. For who started it and for the owner of its process.',
    audience,
    answer: RunDetailsAnswer,
    errors: ['INSTANCE_NOT_FOUND'],
  })
  details(@CompanyCallerOf() caller: CompanyCaller, @Param() { iid }: InstancePath): Promise<RunDetails> {
    return this.reruns.details(caller, iid);
  }

  @Post('instances/:iid/rerun')
  @Endpoint({
    summary: 'Run the published version again with the values of an instance',
    description:
      '`matrix` replaces some of them; it has to have the Secretos that had a value. Costs a credit. The new instance shows the ' +
      'repeated one as `retryOf`. Needs the permission `execute`, and to see the instance.',
    audience,
    answer: RunAnswer,
    also: { status: 202, description: 'Queued: no connected agent can run it yet, and its environment keeps a queue.' },
    errors: [
      'INSTANCE_NOT_FOUND',
      'PROCESS_NOT_FOUND',
      'CONFLICT',
      'INVALID_MATRIX',
      'INVALID_ENVIRONMENT',
      'INSUFFICIENT_CREDITS',
      'PROCESS_NOT_PUBLISHED',
      'ROUTER_ERROR',
      'AGENT_OFFLINE',
    ],
  })
  async rerun(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { iid }: InstancePath,
    @Body() { matrix: changes, environmentID: chosen }: RerunInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartReply> {
    const details = await this.rpc.call(execution.runDetails, {
      instanceID: iid,
      viewer: { accountID: caller.accountID },
    });
    const { processID } = details.run;
    const { process } = await this.access.require(caller.accountID, processID, 'execute');
    const environmentID = chosen ?? environmentToRequest(details, process);
    const values = await this.reruns.valuesForRerun(details, changes);
    const trigger = { kind: 'manual' as const, ...toStarter(caller) };
    return this.runs.start(response, (identity, options) =>
      this.rpc.call(
        execution.start,
        { ...identity, processID, trigger, ...values, environmentID, retryOf: iid },
        options,
      ),
    );
  }
}
