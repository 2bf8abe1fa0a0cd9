import type { Store } from '@batuta/database';
import type { EffectCounter } from './effect-counter';
import type { Process } from '../tenants/factories';
import { until } from '../until';

/** The end of one instance, as the database and the effect counter record it. */
export interface EndState {
  instanceID: string;
  status: string;
  outcome: string | null;
  /** The name of the agent that had the instance at its end; null when it ended in the queue. */
  agent: string | null;
  errorMessage: string | null;
  /** The orders that its calls of the effect counter carried, one per call. */
  effects: readonly string[];
  /** The log lines as `<number> <step>: <message>`, with placeholders for the instance id and durations. */
  lines: string[];
}

interface EndStateRow {
  instance_id: string;
  status: string;
  outcome: string | null;
  agent_name: string | null;
  error_message: string | null;
}

/** Awaits the end of all instances of a process, at most 150 seconds, and returns their end states. */
export async function endStatesOf(store: Store, process: Process, effects: EffectCounter): Promise<EndState[]> {
  await until(
    () =>
      store.rows(
        `SELECT instance_id, status, desired, fence, session_id, claimed_at, last_report FROM instance
          WHERE process_id = ? AND status NOT IN ('success', 'error', 'terminated', 'stopped')`,
        [process.processID],
      ),
    ({ length }) => length === 0,
    { within: 150_000, every: 100 },
  );
  const rows = await store.rows<EndStateRow>(
    `SELECT i.instance_id, i.status, i.outcome, s.agent_name, i.error_message FROM instance i
       LEFT JOIN agent_session s ON s.session_id = i.session_id WHERE i.process_id = ?`,
    [process.processID],
  );
  const lines = await linesOf(store, process);
  return rows.map((row) => {
    const calls = effects.orders.get(row.instance_id) ?? [];
    return {
      instanceID: row.instance_id,
      status: row.status,
      outcome: row.outcome,
      agent: row.agent_name,
      errorMessage: row.error_message,
      effects: calls,
      lines: lines.get(row.instance_id) ?? [],
    };
  });
}

/**
 * The invariants that the end states violate. `accepted` = order → id of its instance; `undisturbedLog` = the log of an instance without
 * faults; `mayCrash` and `mayStop` = whether the outcome CRASHED or STOPPED is allowed.
 */
export function violationsOf(
  endStates: readonly EndState[],
  accepted: ReadonlyMap<string, string>,
  allowed: {
    undisturbedLog: readonly string[];
    mayCrash: (endState: EndState) => boolean;
    mayStop: (endState: EndState) => boolean;
  },
): string[] {
  const orders = new Map([...accepted].map(([order, instanceID]) => [instanceID, order]));
  const existing = new Set(endStates.map(({ instanceID }) => instanceID));
  const lost = [...accepted].filter(([, instanceID]) => !existing.has(instanceID));
  return [
    ...(orders.size < accepted.size ? ['two orders were answered with the same instance'] : []),
    ...lost.map(([order, instanceID]) => `${instanceID} of order ${order} was accepted, but is not there`),
    ...endStates.flatMap((endState) =>
      endStateViolations(endState, orders.get(endState.instanceID), allowed).map(
        (what) => `${endState.instanceID} ${what}`,
      ),
    ),
  ];
}

function endStateViolations(
  endState: EndState,
  order: string | undefined,
  { undisturbedLog, mayCrash, mayStop }: Parameters<typeof violationsOf>[2],
): string[] {
  if (order === undefined) return ['exists, but no caller got its id'];
  const { status, outcome, effects } = endState;
  const faults: string[] = [];
  if (effects.length > 1) faults.push(`had ${effects.length} effects`);
  if (effects.some((carried) => carried !== order)) faults.push(`carried order ${effects.join()} in place of ${order}`);
  if (status === 'success') {
    if (effects.length === 0) faults.push('succeeded without its effect');
    const said = endState.lines.map((line) => line.replaceAll(order, '<order>'));
    if (said.join('\n') !== undisturbedLog.join('\n')) faults.push(`has another log:\n${said.join('\n')}`);
    return faults;
  }
  const allowed = outcome === 'CRASHED' ? mayCrash(endState) : outcome === 'STOPPED' && mayStop(endState);
  if (!allowed) faults.push(`ended as ${status} ${outcome} with agent ${endState.agent}: ${endState.errorMessage}`);
  return faults;
}

/** Sums of a company's credits. `due` = the plan's credits minus one for each start, except starts that were stopped in the queue. */
export interface CreditSums {
  balance: number;
  /** The sum of all rows of the ledger. */
  ledger: number;
  due: number;
}

/** The number of charged instances: all except those stopped in the queue, which are recognized by their refund. */
const CHARGED_INSTANCES_SQL = `SELECT COUNT(*) AS n FROM instance i
   LEFT JOIN credit_entry e ON e.instance_id = i.instance_id AND e.kind = 'refund'
  WHERE i.company_id = ? AND NOT (e.entry_id IS NOT NULL AND i.outcome = 'STOPPED' AND i.started_at IS NULL)`;

/** `monthlyCredits` = the credits of the company's plan; the month must not have changed since the company was made. */
export async function creditSumsOf(store: Store, { owner }: Process, monthlyCredits: number): Promise<CreditSums> {
  const { companyID } = owner.company;
  const sum = async (sql: string) => Number((await store.row<{ n: string | number | null }>(sql, [companyID]))?.n ?? 0);
  return {
    balance: await sum('SELECT balance AS n FROM credit_account WHERE company_id = ?'),
    ledger: await sum('SELECT SUM(amount) AS n FROM credit_entry WHERE company_id = ?'),
    due: monthlyCredits - (await sum(CHARGED_INSTANCES_SQL)),
  };
}

export function creditViolations({ balance, ledger, due }: CreditSums): string[] {
  if (balance === due && ledger === due) return [];
  return [`the balance is ${balance} and the sum of the ledger ${ledger}, where ${due} are due`];
}

async function linesOf(store: Store, { processID }: Process): Promise<Map<string, string[]>> {
  const rows = await store.rows<{ instance_id: string; line: number; step: string; message: string }>(
    `SELECT l.instance_id, l.line, l.step, l.message FROM instance_log l
       JOIN instance i ON i.instance_id = l.instance_id WHERE i.process_id = ? ORDER BY l.instance_id, l.line`,
    [processID],
  );
  const byInstance = new Map<string, string[]>();
  for (const { instance_id: instanceID, line, step, message } of rows) {
    const said = message
      .replaceAll(instanceID, '<instance>')
      .replace(/in \d+ ms/, 'in <some> ms')
      .replace(/waited [\d.]+ s/, 'waited <some> s');
    byInstance.set(instanceID, [...(byInstance.get(instanceID) ?? []), `${line} ${step}: ${said}`]);
  }
  return byInstance;
}
