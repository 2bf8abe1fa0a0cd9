import { companiesOf, environmentFacts, launchesWithEnvironments } from '@batuta/catalog';
import type { StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { BatchFacts } from './decision';

/** Reads what decides a batch of starts, each kind of fact with one query; inside a transaction all in one message. */
export async function readFacts(
  store: Store,
  requests: Pick<StartRequest, 'processID' | 'environmentID' | 'trigger'>[],
): Promise<BatchFacts> {
  const processIDs = distinct(requests.map(({ processID }) => processID));
  const sent = requests.filter(({ environmentID }) => environmentID !== undefined);
  const debugged = requests.flatMap(({ processID, trigger }) => (trigger.kind === 'debug' ? [processID] : []));
  const [clock, { launches, environments }, chosen, companies, drafts] = await Promise.all([
    store.row<{ now: Date }>('SELECT UTC_TIMESTAMP(3) AS now'),
    launchesWithEnvironments(store, processIDs),
    environmentFacts(store, distinct(sent.flatMap(({ environmentID }) => environmentID ?? []))),
    companiesOf(store, distinct(sent.flatMap(({ trigger }) => trigger.accountID ?? []))),
    draftFlows(store, distinct(debugged)),
  ]);
  if (!clock) throw new Error('The database has no clock');
  return { now: clock.now, launches, environments: new Map([...environments, ...chosen]), companies, drafts };
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
