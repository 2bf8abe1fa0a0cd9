import { missingAbilitiesPhrase } from '@batuta/agent-protocol';
import { connectedAbilities } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { abilitiesOf, readShape } from '@batuta/flow';

/** Maximum number of environments that one publication checks, the first ones by name; the others get no warning. */
const MAX_CHECKED_ENVIRONMENTS = 20;

/**
 * Selects the environment that is registered on the process and the environments of its active schedules, if they
 * belong to the owner's company.
 */
const SELECT_ENVIRONMENTS = `SELECT e.environment_id, e.name
    FROM (SELECT environment_id, company_id FROM process WHERE process_id = ?
          UNION SELECT s.environment_id, p.company_id FROM schedule s JOIN process p ON p.process_id = s.process_id
                 WHERE s.process_id = ? AND s.active = 1) used
    JOIN environment e ON e.environment_id = used.environment_id AND e.company_id = used.company_id
   ORDER BY e.name, e.environment_id LIMIT ?`;

/**
 * One warning for each environment that has connected agents, but none that can run every step of the flow
 * (interpretation 56). An environment without a connected agent gets no warning, because the abilities of its agents
 * are unknown.
 */
export async function publishWarnings(store: Store, processID: string, flow: unknown): Promise<string[]> {
  const read = readShape(flow);
  if (!('flow' in read)) return [];
  const needed = abilitiesOf(read.flow);
  const environments = await store.rows<{ environment_id: string; name: string }>(SELECT_ENVIRONMENTS, [
    processID,
    processID,
    MAX_CHECKED_ENVIRONMENTS,
  ]);
  const agents = await connectedAbilities(
    store,
    environments.map((environment) => environment.environment_id),
  );
  return environments.flatMap(({ environment_id: id, name }) => {
    const connected = agents.get(id);
    const missing = connected && missingAbilitiesPhrase(name, connected, needed);
    return missing === undefined ? [] : [`${missing}.`];
  });
}
