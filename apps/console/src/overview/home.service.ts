import { countConnectedAgents } from '@batuta/catalog';
import {
  execution,
  FAILED_STATUSES,
  TRIGGER_KINDS,
  type InstanceStatus,
  type Run,
  type RunListPage,
  type Statistics,
} from '@batuta/contracts';
import { DatabaseClock, Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { DateTime } from 'luxon';
import { EnvironmentService } from '../environments/environment.service';
import type { CompanyCaller } from '../sessions/caller';
import type { CreditsLeft, EnvironmentOverview, HomeAnswer, RunCount } from './statistics.dto';

/** The zone of "today". */
const ZONE = 'America/Sao_Paulo';
const MAX_LISTED_RUNS = 20;
const MAX_COUNTED_RUNS = 100;
const SEARCHED_PAGE_SIZE = 100;
/** Maximum pages of failed or terminated runs that are read to find the failed ones of today. */
const MAX_SEARCHED_PAGES = 9;
const MAX_ENVIRONMENTS = 100;
const RUNNING_STATUSES: InstanceStatus[] = ['unknown', 'running'];
const ACTIVE_STATUSES: InstanceStatus[] = ['queued', ...RUNNING_STATUSES];
/** The triggers of the runs that the statistics count: all but debug runs. */
const COUNTED_TRIGGERS = TRIGGER_KINDS.filter((trigger) => trigger !== 'debug');

/**
 * The data of the start page: active instances, failed ones that were accepted today, queues and agents, and the credits of the
 * company.
 */
@Injectable()
export class HomeService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly clock: DatabaseClock,
    private readonly environments: EnvironmentService,
  ) {}

  /** What the caller sees now; "today" is the day of America/Sao_Paulo by the clock of the database. */
  async homeOf(caller: CompanyCaller): Promise<HomeAnswer> {
    const { accountID } = caller;
    const now = DateTime.fromMillis(this.clock.now(), { zone: ZONE });
    const from = now.startOf('day').toJSDate().toISOString();
    const to = now.plus({ days: 1 }).startOf('day').toJSDate().toISOString();
    const newest = (statuses: InstanceStatus[], limit: number) =>
      this.rpc.call(execution.runs, { accountID, filter: { statuses }, limit });
    const counted = this.rpc.call(execution.statistics, { accountID, from, to, by: 'hour', asListed: true });
    const [active, queued, running, failed, today, environments, credits] = await Promise.all([
      newest(ACTIVE_STATUSES, MAX_LISTED_RUNS),
      newest(['queued'], MAX_COUNTED_RUNS),
      newest(RUNNING_STATUSES, MAX_COUNTED_RUNS),
      counted.then((statistics) => this.newestFailed(accountID, from, statistics)),
      counted,
      this.environmentsOf(caller),
      this.creditsOf(caller),
    ]);
    return {
      active: active.runs,
      activeCounts: { queued: countOf(queued), running: countOf(running) },
      failed,
      today,
      environments,
      credits,
    };
  }

  /** The balance of the caller's company and the monthly credits of its plan. */
  async creditsOf({ companyID }: CompanyCaller): Promise<CreditsLeft> {
    const [{ balances }, plan] = await Promise.all([
      this.rpc.call(execution.credits, { companyIDs: [companyID] }),
      this.store.row<{ monthly_credits: number }>(
        'SELECT p.monthly_credits FROM company c JOIN plan p ON p.plan_id = c.plan_id WHERE c.company_id = ?',
        [companyID],
      ),
    ]);
    return { balance: balances[companyID] ?? 0, monthly: plan?.monthly_credits ?? 0 };
  }

  /**
   * Reads pages of the newest runs that failed or were terminated, and returns at most MAX_LISTED_RUNS with the status `error`. For own
   * processes one index covers these two statuses together, and none covers `error` alone. For shared ones no index covers them, so each page
   * is a search; reading ends once it has found as many failures as the statistics count, if these reach back to `from`.
   */
  private async newestFailed(accountID: string, from: string, today: Statistics): Promise<Run[]> {
    // Execution of the previous release counts no runs of shared processes, so their failures may be missing.
    const wanted = today.since > from ? MAX_LISTED_RUNS : Math.min(failuresOf(today), MAX_LISTED_RUNS);
    const filter = { statuses: [...FAILED_STATUSES], triggers: COUNTED_TRIGGERS, from };
    const failed: Run[] = [];
    let before: string | undefined;
    for (let page = 0; page < MAX_SEARCHED_PAGES && failed.length < wanted; page++) {
      const request = { accountID, filter, limit: SEARCHED_PAGE_SIZE, before };
      const { runs, older } = await this.rpc.call(execution.runs, request);
      failed.push(...runs.filter(({ status }) => status === 'error'));
      if (!older) break;
      ({ before } = older);
    }
    return failed.slice(0, MAX_LISTED_RUNS);
  }

  private async environmentsOf(caller: CompanyCaller): Promise<EnvironmentOverview[]> {
    const seen = await this.environments.list(caller, { limit: MAX_ENVIRONMENTS });
    const environmentIDs = seen.map(({ id }) => id);
    const [{ environments: loads }, agents] = await Promise.all([
      this.rpc.call(execution.load, { environmentIDs }),
      countConnectedAgents(this.store, environmentIDs),
    ]);
    const loadOf = new Map(loads.map((load) => [load.environmentID, load]));
    return seen.map(({ id, name }) => ({
      environmentID: id,
      name,
      agents: agents.get(id) ?? 0,
      queued: loadOf.get(id)?.queued ?? 0,
      running: loadOf.get(id)?.running ?? 0,
    }));
  }
}

/** The runs of the statistics that ended with the status `error`. */
function failuresOf({ outcomes }: Statistics): number {
  return outcomes.ERROR + outcomes.CRASHED + outcomes.STEP_LIMIT_REACHED;
}

function countOf({ runs, older }: RunListPage): RunCount {
  return { count: runs.length, more: older !== undefined };
}
