import { Abilities } from '@batuta/agent-protocol';
import { connectedAbilities } from '@batuta/catalog';
import type { StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { readNeeds } from '@batuta/flow';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MAX_ENTRIES = 10_000;
/** An agent counts as connected for up to this long after it has left, if another one of its environment has not. */
const TIME_TO_LIVE_MS = 1_000;

/** A start at an environment with a connected agent. */
interface PlacedStart {
  process: { processID: string };
  environment: { environmentID: string; online: boolean };
  needs: string;
}

/** The abilities of the agents that are connected to an environment. */
@Injectable()
export class ConnectedAgents {
  /** The environment by process, from earlier starts. */
  private readonly environments = new LRUCache<string, string>({ max: MAX_ENTRIES });
  private readonly agents = new LRUCache<string, Abilities[]>({ max: MAX_ENTRIES, ttl: TIME_TO_LIVE_MS });

  /**
   * Reads the agents of the environments in which the requests will probably run, before the facts are known: that saves a
   * message to the database.
   */
  async readPredicted(store: Store, requests: Pick<StartRequest, 'processID' | 'environmentID'>[]): Promise<void> {
    const predicted = requests.flatMap(
      ({ processID, environmentID }) => environmentID ?? this.environments.get(processID) ?? [],
    );
    await this.read(
      store,
      predicted.filter((id) => !this.agents.has(id)),
    );
  }

  /**
   * For each start the abilities that the best connected agent of its environment lacks; none when it can run there, or when no
   * agent is connected at all. A missing ability has been read from the database by this call.
   */
  async missing(store: Store, starts: readonly PlacedStart[]): Promise<string[][]> {
    for (const { process, environment } of starts) {
      if (environment.online) this.environments.set(process.processID, environment.environmentID);
    }
    const lacking = starts.filter((start) => this.missingAt(start).length > 0);
    if (lacking.length === 0) return starts.map(() => []);
    await this.read(
      store,
      lacking.map(({ environment }) => environment.environmentID),
    );
    return starts.map((start) => this.missingAt(start));
  }

  private missingAt({ environment: { environmentID, online }, needs }: PlacedStart): string[] {
    if (!online) return [];
    return Abilities.leastMissing(this.agents.get(environmentID) ?? [], readNeeds(needs));
  }

  private async read(store: Store, environmentIDs: string[]): Promise<void> {
    const ids = [...new Set(environmentIDs)];
    if (ids.length === 0) return;
    const found = await connectedAbilities(store, ids);
    for (const id of ids) this.agents.set(id, found.get(id) ?? []);
  }
}
