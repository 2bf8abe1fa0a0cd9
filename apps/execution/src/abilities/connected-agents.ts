import { missingAbilitiesPhrase, type Abilities } from '@batuta/agent-protocol';
import { entryLimit } from '@batuta/async';
import { connectedAbilities } from '@batuta/catalog';
import type { StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { readNeeds } from '@batuta/flow';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** Maximum entries of each of the two caches. */
const MAX_CACHE_ENTRIES = 10_000;
/**
 * Time to live of the cached list of an environment's agents: it bounds how long a disconnected agent still counts
 * while another agent of its environment is connected.
 */
const TIME_TO_LIVE_MS = 1_000;

/** A start with its chosen environment and the abilities that it needs. */
interface StartWithNeeds {
  process: { processID: string };
  environment: { environmentID: string; name: string; online: boolean };
  needs: string;
}

/** Caches the abilities of the agents that are connected to each environment, for TIME_TO_LIVE_MS, and finds what they lack for a start. */
@Injectable()
export class ConnectedAgents {
  /** By process id, the environment of the last start of the process in an environment that was online; it predicts that of the next start. */
  private readonly environments = new LRUCache<string, string>(entryLimit(MAX_CACHE_ENTRIES));
  private readonly agents = new LRUCache<string, Abilities[]>({
    ...entryLimit(MAX_CACHE_ENTRIES),
    ttl: TIME_TO_LIVE_MS,
  });

  /**
   * Reads into the cache the agents of the environments that the requests will probably use. Call it beside the queries for the facts of the starts:
   * they travel together, and a query afterwards would cost one more round trip to the database.
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
   * For each start the sentence about the needed abilities that the connected agents of its environment lack; undefined if
   * some agent has all, or if no agent is connected. An ability is reported as missing only after this call has read
   * the agents from the database.
   */
  async missingAbilities(store: Store, starts: readonly StartWithNeeds[]): Promise<(string | undefined)[]> {
    for (const { process, environment } of starts) {
      if (environment.online) this.environments.set(process.processID, environment.environmentID);
    }
    const lacking = starts.filter((start) => this.missingAt(start) !== undefined);
    if (lacking.length === 0) return starts.map(() => undefined);
    await this.read(
      store,
      lacking.map(({ environment }) => environment.environmentID),
    );
    return starts.map((start) => this.missingAt(start));
  }

  private missingAt({ environment: { environmentID, name, online }, needs }: StartWithNeeds): string | undefined {
    if (!online) return undefined;
    return missingAbilitiesPhrase(name, this.agents.get(environmentID) ?? [], readNeeds(needs));
  }

  private async read(store: Store, environmentIDs: string[]): Promise<void> {
    const ids = [...new Set(environmentIDs)];
    if (ids.length === 0) return;
    const found = await connectedAbilities(store, ids);
    for (const id of ids) this.agents.set(id, found.get(id) ?? []);
  }
}
