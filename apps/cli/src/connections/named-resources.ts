import { listEnvironments, listProcesses, normalizedName, type ConsoleClient } from '@batuta/process-files';
import { refusal } from '../exit-codes';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The id of a process, given by its id, which is returned unchecked, or by its exact name, in any form of Unicode and without the spaces at its
 * ends. Throws CommandFailure for a name that none or several have.
 */
export async function processIDOf(console: ConsoleClient, given: string): Promise<string> {
  if (UUID.test(given)) return given;
  const named = (await listProcesses(console)).filter(({ processName }) => isName(given, processName));
  return requireSingleID(
    'process',
    given,
    named.map(({ processID }) => processID),
  );
}

/** The id of an environment, given as for `processIDOf`. Throws CommandFailure for a name that none or several have. */
export async function environmentIDOf(console: ConsoleClient, given: string): Promise<string> {
  if (UUID.test(given)) return given;
  const named = (await listEnvironments(console)).filter(({ name }) => isName(given, name));
  return requireSingleID(
    'environment',
    given,
    named.map(({ environmentID }) => environmentID),
  );
}

/** A name that was copied from macOS may have another form of Unicode than the same name in the console. */
const isName = (given: string, name: string) => normalizedName(given) === normalizedName(name);

function requireSingleID(kind: string, given: string, ids: string[]): string {
  const [id] = ids;
  if (id === undefined)
    throw refusal(
      `No ${kind} has the name ${JSON.stringify(given)}.`,
      `batuta ${kind === 'process' ? 'processes' : 'environments'} list`,
    );
  if (ids.length > 1)
    throw refusal(
      `${ids.length} of them have the name ${JSON.stringify(given)}: give the id, one of ${ids.join(', ')}.`,
    );
  return id;
}
