import type { Abilities } from '@batuta/agent-protocol';
import { entryLimit } from '@batuta/async';
import { readNeeds } from '@batuta/flow';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED_QUEUES = 10_000;
/**
 * Time to live of an entry, counted from its creation; further lists of needs do not prolong it. After this time the next claim reads the queue
 * as if its agent could run everything, and adds the entry again if it meets an instance that the agent cannot run.
 */
const TIME_TO_LIVE_MS = 60_000;

/**
 * Remembers queues in which a claim met an instance that its agent cannot run, with the different lists of needed
 * abilities that wait in them.
 */
@Injectable()
export class MixedQueues {
  private readonly queues = new LRUCache<string, Set<string>>({
    ...entryLimit(MAX_REMEMBERED_QUEUES),
    ttl: TIME_TO_LIVE_MS,
  });

  addNeeds(environmentID: string, needs: string): void {
    const known = this.queues.get(environmentID);
    if (known) known.add(needs);
    else this.queues.set(environmentID, new Set([needs]));
  }

  /** The remembered lists of needs, each separated by commas; empty for a queue that is not remembered. */
  needsIn(environmentID: string): string[] {
    return [...(this.queues.get(environmentID) ?? [])];
  }

  /**
   * True when an agent with these abilities lacks one for a remembered list of needs; the instances with that list may
   * have left the queue since.
   */
  isMixedFor(environmentID: string, abilities: Abilities): boolean {
    return this.needsIn(environmentID).some((needs) => !canRun(abilities, needs));
  }
}

/** True when the abilities include each one that `needs` lists, separated by commas. */
export function canRun(abilities: Abilities, needs: string): boolean {
  return abilities.covers(readNeeds(needs));
}
