import { companiesOf, environmentFacts, processesWithEnvironments, type MatrixCache } from '@batuta/catalog';
import type { StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { StartFacts } from './decision';
import { readStarters } from './starter-rights';

/**
 * Reads the facts of a batch of starts with one query of each kind; inside a transaction the queries travel in one
 * message. Matrix variables that are not in `matrices`, or all of them without that cache, take a second message.
 */
export async function readStartFacts(
  store: Store,
  requests: Pick<StartRequest, 'processID' | 'environmentID' | 'trigger'>[],
  matrices?: MatrixCache,
): Promise<StartFacts> {
  const processIDs = withoutDuplicates(requests.map(({ processID }) => processID));
  const withEnvironment = requests.filter(({ environmentID }) => environmentID !== undefined);
  const debugged = requests.flatMap(({ processID, trigger }) => (trigger.kind === 'debug' ? [processID] : []));
  const [{ now, processes, environments }, requested, companies, drafts, starters] = await Promise.all([
    processesWithEnvironments(store, processIDs, matrices),
    environmentFacts(store, withoutDuplicates(withEnvironment.flatMap(({ environmentID }) => environmentID ?? []))),
    companiesOf(store, withoutDuplicates(withEnvironment.flatMap(({ trigger }) => trigger.accountID ?? []))),
    readDrafts(store, withoutDuplicates(debugged)),
    readStarters(store, requests),
  ]);
  for (const [environmentID, environment] of requested) environments.set(environmentID, environment);
  return { now: now ?? (await databaseTime(store)), processes, environments, companies, drafts, starters };
}

async function databaseTime(store: Store): Promise<Date> {
  const row = await store.row<{ now: Date }>('SELECT UTC_TIMESTAMP(3) AS now');
  if (!row) throw new Error('The database returned no time');
  return row.now;
}

async function readDrafts(store: Store, processIDs: string[]): Promise<Map<string, string>> {
  if (processIDs.length === 0) return new Map();
  const rows = await store.rows<{ process_id: string; draft_flow: string | null }>(
    'SELECT process_id, draft_flow FROM process WHERE process_id IN (?)',
    [processIDs],
  );
  return new Map(rows.flatMap((row) => (row.draft_flow === null ? [] : [[row.process_id, row.draft_flow]])));
}

export function withoutDuplicates(values: string[]): string[] {
  return [...new Set(values)];
}
