import type { DryRunReply, StartRequest } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError, type WireError } from '@batuta/errors';
import { JsonThread } from '@batuta/json';
import { Injectable } from '@nestjs/common';
import { CreditService } from '../credits/credit.service';
import { ConnectedAgents } from '../abilities/connected-agents';
import { VersionNeeds } from '../abilities/version-needs';
import { FlowCache } from '../flows/flow-cache';
import { acceptedAs, chooseEnvironment, requirePublishedVersion, requireActiveOwner, requireCredit } from './decision';
import { readStartFacts } from './start-facts';
import { readLargeTexts } from './large-texts';
import { matchStarts } from './needs';
import { QueueLimit } from './queue-limit';
import { convertValues, refusedValues, type StartValue } from './convert-values';
import { requireStarterRights } from './starter-rights';
import { requireVaultReach } from './vault-reach';

const MASKED_VALUE = '•••';

/**
 * Runs the checks of a start, except that of the deadline, in their order and writes nothing. A start stops at the first refusal; a dry run
 * returns all of them, and leaves out the checks that need the result of a refused one. Throws PROCESS_NOT_FOUND only for a process that
 * does not exist.
 */
@Injectable()
export class DryRunService {
  constructor(
    private readonly store: Store,
    private readonly credits: CreditService,
    private readonly queues: QueueLimit,
    private readonly flows: FlowCache,
    private readonly needs: VersionNeeds,
    private readonly agents: ConnectedAgents,
    private readonly jsonThread: JsonThread,
  ) {}

  async dryRun(
    request: Pick<StartRequest, 'processID' | 'trigger' | 'matrix' | 'environmentID'>,
  ): Promise<DryRunReply> {
    const facts = await readStartFacts(this.store, [request]);
    const process = facts.processes.get(request.processID);
    if (!process) throw new ApiError('PROCESS_NOT_FOUND');
    const balance = (await this.credits.balances([process.companyID]))[process.companyID] ?? 0;
    const refusals: WireError[] = [];
    const run = <T>(check: () => T) => collectRefusal(refusals, check);
    run(() => requireStarterRights(request, process.ownerAccountID, facts.starters));
    run(() => requireActiveOwner(process));
    const flow = run(() => requirePublishedVersion(process));
    const read = await readLargeTexts(request, process.matrix, this.jsonThread);
    const matrix = run(() => convertValues(process.matrix, read).matrix);
    const environment = run(() => chooseEnvironment(request, process, facts));
    if (flow && environment) {
      const refusal = await requireVaultReach(this.store, this.flows, { process, environment, flow }).catch(asRefusal);
      if (refusal) refusals.push(refusal);
    }
    run(() => requireCredit(balance));
    const start = flow && environment && { process, environment, flow, matrix };
    const [matched] = start ? await matchStarts(this.store, this.needs, this.agents, [start]) : [];
    const status = environment && run(() => acceptedAs({ environment, missing: matched?.missing }));
    if (environment) run(() => this.queues.requireRoom(environment));
    return {
      matrix: matrix && withHiddenSecrets(matrix),
      refusals,
      ...(matrix === undefined && { refusedValues: refusedValues(process.matrix, read.matrix) }),
      environment: environment && {
        environmentID: environment.environmentID,
        name: environment.name,
        online: environment.online,
      },
      status: refusals.length === 0 ? status : undefined,
    };
  }
}

function collectRefusal<T>(refusals: WireError[], check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    refusals.push(asRefusal(error));
    return undefined;
  }
}

function asRefusal(error: unknown): WireError {
  if (!(error instanceof ApiError)) throw error;
  return error.toWire();
}

function withHiddenSecrets(matrix: StartValue[]): Record<string, unknown> {
  return Object.fromEntries(
    matrix.map(({ name, type, value }) => [name, type === 'Secreto' && value !== null ? MASKED_VALUE : value]),
  );
}
