import { companiesOf, environmentFacts, launchesWithEnvironments, type Matrices } from '@batuta/catalog';
import type { StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { BatchFacts } from './decision';

/**
 * Reads what decides a batch of starts, each kind of fact with one query; inside a transaction all in one message. Matrix
 * variables that `matrices` does not remember take a second one.
 */
export async function readFacts(
  store: Store,
  requests: Pick<StartRequest, 'processID' | 'environmentID' | 'trigger'>[],
  matrices?: Matrices,
): Promise<BatchFacts> {
  const processIDs = distinct(requests.map(({ processID }) => processID));
  const sent = requests.filter(({ environmentID }) => environmentID !== undefined);
  const debugged = requests.flatMap(({ processID, trigger }) => (trigger.kind === 'debug' ? [processID] : []));
  const [{ now, launches, environments }, chosen, companies, drafts] = await Promise.all([
    launchesWithEnvironments(store, processIDs, matrices),
    environmentFacts(store, distinct(sent.flatMap(({ environmentID }) => environmentID ?? []))),
    companiesOf(store, distinct(sent.flatMap(({ trigger }) => trigger.accountID ?? []))),
    draftFlows(store, distinct(debugged)),
  ]);
  for (const [environmentID, environment] of chosen) environments.set(environmentID, environment);
  return { now: now ?? (await clock(store)), launches, environments, companies, drafts };
}

async function clock(store: Store): Promise<Date> {
  const row = await store.row<{ now: Date }>('SELECT UTC_TIMESTAMP(3) AS now');
  if (!row) throw new Error('The database has no clock');
  return row.now;
}

async function draftFlows(store: Store, processIDs: string[]): Promise<Map<string, string>> {
  if (processIDs.length === 0) return new Map();
  const rows = await store.rows<{ process_id: string; draft_flow: string | null }>(
    'SELECT process_id, draft_flow FROM process WHERE process_id IN (?)',
    [processIDs],
  );
  return new Map(rows.flatMap((row) => (row.draft_flow === null ? [] : [[row.process_id, row.draft_flow]])));
}

export function distinct(values: string[]): string[] {
  return [...new Set(values)];
}
