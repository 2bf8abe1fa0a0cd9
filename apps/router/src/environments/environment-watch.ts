import type { AgentEnvironment } from '@batuta/catalog';
import type { Dispatch } from '../dispatch/dispatch';
import { farewell, type Farewell } from '../frames/farewell';
import type { Departures } from '../sessions/departures';
import type { Session } from '../sessions/session';
import type { Sessions } from '../sessions/sessions';

const AT_ONCE = 500;

/** Why a session may not go on in its environment as it is now; undefined = it may. */
export function expulsion(keyHash: Buffer, environment: AgentEnvironment | undefined): Farewell | undefined {
  if (!environment) return farewell.environmentGone();
  return environment.keyHash.equals(keyHash) ? undefined : farewell.badKey();
}

/** Follows the connected environments: rotated keys and deleted environments end sessions, capacities change bounds. */
export class EnvironmentWatch {
  constructor(
    private readonly sessions: Sessions,
    private readonly departures: Departures,
    private readonly dispatch: Dispatch,
    private readonly environments: (ids: readonly string[]) => Promise<Map<string, AgentEnvironment>>,
  ) {}

  async checkAll(): Promise<void> {
    const ids = this.sessions.environmentIDs();
    for (let start = 0; start < ids.length; start += AT_ONCE) await this.check(ids.slice(start, start + AT_ONCE));
  }

  async check(environmentIDs: readonly string[]): Promise<void> {
    // Only those that were there before the look-up: its answer is newer than what they were admitted by.
    const known = environmentIDs.flatMap((id) => this.sessions.of(id));
    if (known.length === 0) return;
    const environments = await this.environments(environmentIDs);
    for (const session of known) this.apply(session, environments.get(session.environmentID));
  }

  private apply(session: Session, environment: AgentEnvironment | undefined): void {
    const why = expulsion(session.keyHash, environment);
    if (why) return this.departures.leave(session, why);
    if (!environment || environment.capacity === session.environmentCapacity) return;
    session.environmentCapacity = environment.capacity;
    this.dispatch.wanted(session.environmentID);
  }
}
