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
  const [clock, { launches, environments }, chosen, companies] = await Promise.all([
    store.row<{ now: Date }>('SELECT UTC_TIMESTAMP(3) AS now'),
    launchesWithEnvironments(store, processIDs),
    environmentFacts(store, distinct(sent.flatMap(({ environmentID }) => environmentID ?? []))),
    companiesOf(store, distinct(sent.flatMap(({ trigger }) => trigger.accountID ?? []))),
  ]);
  if (!clock) throw new Error('The database has no clock');
  return { now: clock.now, launches, environments: new Map([...environments, ...chosen]), companies };
}

export function distinct(values: string[]): string[] {
  return [...new Set(values)];
}
