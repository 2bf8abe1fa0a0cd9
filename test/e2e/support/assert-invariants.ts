import type { Store } from '@batuta/database';
import type { Effects } from './effect-counter';
import type { Process } from './factories';
import { until } from './until';

/** What became of one accepted start, as the database and the outside world tell it. */
export interface Fate {
  instanceID: string;
  status: string;
  outcome: string | null;
  /** The agent that had it last. */
  agent: string | null;
  errorMessage: string | null;
  /** Orders of the calls that it made: one effect each. */
  effects: readonly string[];
  /** Its log, without what differs from one good run to the next. */
  lines: string[];
}

interface FateRow {
  instance_id: string;
  status: string;
  outcome: string | null;
  agent_name: string | null;
  error_message: string | null;
}

/** Awaits the end of all that was started of a process, and tells what became of each. */
export async function fatesOf(store: Store, process: Process, effects: Effects, within = 150_000): Promise<Fate[]> {
  await until(
    () =>
      store.rows(
        `SELECT instance_id, status, desired, fence, session_id, claimed_at, last_report FROM instance
          WHERE process_id = ? AND status NOT IN ('success', 'error', 'terminated', 'stopped')`,
        [process.processID],
      ),
    ({ length }) => length === 0,
    { within, every: 100 },
  );
  const rows = await store.rows<FateRow>(
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
 * What is wrong with what became of the accepted orders; nothing if all is as promised. `calm` = the log of an order that
 * nothing disturbed. `mayCrash` = where the fault allows it: the agent that ran it died. `mayStop` = somebody wanted it so.
 */
export function complaintsAbout(
  fates: readonly Fate[],
  accepted: ReadonlyMap<string, string>,
  allowed: { calm: readonly string[]; mayCrash: (fate: Fate) => boolean; mayStop: (fate: Fate) => boolean },
): string[] {
  const orders = new Map([...accepted].map(([order, instanceID]) => [instanceID, order]));
  const existing = new Set(fates.map(({ instanceID }) => instanceID));
  const lost = [...accepted].filter(([, instanceID]) => !existing.has(instanceID));
  return [
    ...(orders.size < accepted.size ? ['two orders were told the same instance'] : []),
    ...lost.map(([order, instanceID]) => `${instanceID} of order ${order} was accepted, but is not there`),
    ...fates.flatMap((fate) =>
      faultsOf(fate, orders.get(fate.instanceID), allowed).map((what) => `${fate.instanceID} ${what}`),
    ),
  ];
}

function faultsOf(
  fate: Fate,
  order: string | undefined,
  { calm, mayCrash, mayStop }: Parameters<typeof complaintsAbout>[2],
): string[] {
  if (order === undefined) return ['is there, but nobody was told so'];
  const { status, outcome, effects } = fate;
  const faults: string[] = [];
  if (effects.length > 1) faults.push(`had ${effects.length} effects`);
  if (effects.some((carried) => carried !== order)) faults.push(`carried order ${effects.join()} in place of ${order}`);
  if (status === 'success') {
    if (effects.length === 0) faults.push('succeeded without its effect');
    const said = fate.lines.map((line) => line.replaceAll(order, '<order>'));
    if (said.join('\n') !== calm.join('\n')) faults.push(`has another log:\n${said.join('\n')}`);
    return faults;
  }
  const allowed = outcome === 'CRASHED' ? mayCrash(fate) : outcome === 'STOPPED' && mayStop(fate);
  if (!allowed) faults.push(`ended as ${status} ${outcome} with agent ${fate.agent}: ${fate.errorMessage}`);
  return faults;
}

/** `due` = the plan's credits less one for each start of the company but those stopped in the queue. */
export interface Credits {
  balance: number;
  ledger: number;
  due: number;
}

/** Whether a stop met the instance in the queue or on its way to an agent, only its refund tells. */
const CHARGED = `SELECT COUNT(*) AS n FROM instance i
   LEFT JOIN credit_entry e ON e.instance_id = i.instance_id AND e.kind = 'refund'
  WHERE i.company_id = ? AND NOT (e.entry_id IS NOT NULL AND i.outcome = 'STOPPED' AND i.started_at IS NULL)`;

export async function creditsOf(store: Store, { owner }: Process, monthlyCredits: number): Promise<Credits> {
  const { companyID } = owner.company;
  const sum = async (sql: string) => Number((await store.row<{ n: string | number | null }>(sql, [companyID]))?.n ?? 0);
  return {
    balance: await sum('SELECT balance AS n FROM credit_account WHERE company_id = ?'),
    ledger: await sum('SELECT SUM(amount) AS n FROM credit_entry WHERE company_id = ?'),
    due: monthlyCredits - (await sum(CHARGED)),
  };
}

export function complaintsAboutCredits({ balance, ledger, due }: Credits): string[] {
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
