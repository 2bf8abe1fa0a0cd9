import type { Abilities } from '@batuta/agent-protocol';
import { readNeeds } from '@batuta/flow';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MAX_QUEUES = 10_000;
/** Afterwards the next claim reads the queue as if every agent could run all of it, and may find again that this is not so. */
const TIME_TO_LIVE_MS = 60_000;

/** The queues in which a claim has met an instance that its agent cannot run, with the different needs that wait there. */
@Injectable()
export class MixedQueues {
  private readonly queues = new LRUCache<string, Set<string>>({ max: MAX_QUEUES, ttl: TIME_TO_LIVE_MS });

  add(environmentID: string, needs: string): void {
    const known = this.queues.get(environmentID);
    if (known) known.add(needs);
    else this.queues.set(environmentID, new Set([needs]));
  }

  needsIn(environmentID: string): string[] {
    return [...(this.queues.get(environmentID) ?? [])];
  }

  /** True when something waits there that such an agent cannot run. */
  isMixedFor(environmentID: string, abilities: Abilities): boolean {
    return this.needsIn(environmentID).some((needs) => !canRun(abilities, needs));
  }
}

export function canRun(abilities: Abilities, needs: string): boolean {
  return abilities.covers(readNeeds(needs));
}
