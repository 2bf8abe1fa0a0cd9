import { companiesOf, environmentFacts, launchFacts } from '@batuta/catalog';
import type { StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { BatchFacts } from './decision';

/** Reads what decides a batch of starts, each kind of fact with one query. */
export async function readFacts(
  store: Store,
  requests: Pick<StartRequest, 'processID' | 'environmentID' | 'trigger'>[],
): Promise<BatchFacts> {
  const [clock, launches, companies] = await Promise.all([
    store.row<{ now: Date }>('SELECT UTC_TIMESTAMP(3) AS now'),
    launchFacts(store, distinct(requests.map(({ processID }) => processID))),
    companiesOf(
      store,
      distinct(requests.flatMap(({ environmentID, trigger }) => (environmentID && trigger.accountID) ?? [])),
    ),
  ]);
  const wanted = requests.flatMap(
    ({ environmentID, processID }) => environmentID ?? launches.get(processID)?.environmentID ?? [],
  );
  const environments = await environmentFacts(store, distinct(wanted));
  if (!clock) throw new Error('The database has no clock');
  return { now: clock.now, launches, environments, companies };
}

export function distinct(values: string[]): string[] {
  return [...new Set(values)];
}
