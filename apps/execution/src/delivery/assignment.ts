import type { Work } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { KeyRing } from '@batuta/secrets';
import type { Accepted } from '../start/acceptance.repository';
import { Flows, type FlowContent } from './flows';
import type { Taker, Takers } from './takers';
import { openVault, sealedVault } from './vault';

interface Hand {
  environmentID: string;
  taker: Taker;
  work: Work[];
  bytes: number;
}

/** A start that would go to the claim in hand. */
interface Candidate {
  one: Accepted;
  hand: Hand;
  versionID: string;
}

/** What goes out with it. */
interface Equipment {
  content: FlowContent;
  vault: Record<string, string>;
}

/** Bytes of values and flows in one reply: a message of ours has 8 MB at the most. */
export const MOST_BYTES = 4 * 1024 * 1024;
const FIRST_FENCE = 1;

/**
 * Which starts of one batch go straight to claims that wait: decided inside the transaction that accepts them, told once
 * it is committed. Of a session that is gone by then, execution's sweep gives them back to the queue.
 */
export class Assignment {
  private hands = new Map<string, Hand>();

  constructor(
    private readonly takers: Takers,
    private readonly flows: Flows,
    private readonly keys: KeyRing,
  ) {}

  /** The session of each start that gets one, by instance. Asked again, when the transaction is, it begins anew. */
  async choose(tx: Store, accepted: Accepted[], requestIDs: Map<string, string>): Promise<Map<string, string>> {
    this.takeBack();
    const wanted = accepted.flatMap((one) => this.candidate(one));
    const sessions = new Map<string, string>();
    for (const { one, hand, content, vault } of await this.ready(tx, wanted)) {
      const bytes = content.bytes + Buffer.byteLength(JSON.stringify(one.launch.matrix));
      if (hand.work.length >= hand.taker.limit || hand.bytes + bytes > MOST_BYTES) continue;
      hand.work.push(toWork(one, content, vault, requestIDs));
      hand.bytes += bytes;
      sessions.set(one.launch.request.instanceID, hand.taker.sessionID);
    }
    return sessions;
  }

  /** After the commit. Returns how many went out. */
  give(): number {
    let given = 0;
    for (const { environmentID, taker, work } of this.hands.values()) {
      this.takers.give(environmentID, taker, work);
      given += work.length;
    }
    this.hands.clear();
    return given;
  }

  /** Nothing was committed. */
  takeBack(): void {
    for (const { environmentID, taker } of this.hands.values()) this.takers.putBack(environmentID, taker);
    this.hands.clear();
  }

  /** With the claim that would take it, if one waits for such a start. */
  private candidate(one: Accepted): Candidate[] {
    const { flow, environment } = one.launch;
    if (one.status !== 'started' || 'draft' in flow) return [];
    const hand = this.handFor(environment.environmentID);
    return hand ? [{ one, hand, versionID: flow.versionID }] : [];
  }

  private handFor(environmentID: string): Hand | undefined {
    const known = this.hands.get(environmentID);
    if (known) return known;
    const taker = this.takers.take(environmentID);
    if (!taker) return undefined;
    const hand: Hand = { environmentID, taker, work: [], bytes: 0 };
    this.hands.set(environmentID, hand);
    return hand;
  }

  /** With flow and secrets. A start whose vault does not open here is left to the queue: it must not fail the others. */
  private async ready(tx: Store, candidates: Candidate[]): Promise<(Candidate & Equipment)[]> {
    // Starts of one version are of one owner, and refer to the same secrets.
    const owners = new Map(candidates.map(({ versionID, one }) => [versionID, one.launch.facts.ownerAccountID]));
    const contents = await this.flows.load(tx, [...owners.keys()]);
    const vaults = await Promise.all(
      [...contents].map(([versionID, content]) => this.vaultOf(tx, owners.get(versionID) ?? '', content.vaultKeys)),
    );
    const equipment = new Map(
      [...contents].map(([versionID, content], index) => [versionID, { content, vault: vaults[index] }]),
    );
    return candidates.flatMap((candidate) => {
      const { content, vault } = equipment.get(candidate.versionID) ?? {};
      return content && vault ? [{ ...candidate, content, vault }] : [];
    });
  }

  private async vaultOf(tx: Store, ownerID: string, vaultKeys: string[]): Promise<Equipment['vault'] | undefined> {
    const values = await sealedVault(tx, ownerID, vaultKeys);
    try {
      return openVault(this.keys, ownerID, values);
    } catch {
      return undefined;
    }
  }
}

function toWork(
  { launch: { request, facts, matrix } }: Accepted,
  { flow }: FlowContent,
  vault: Record<string, string>,
  requestIDs: Map<string, string>,
): Work {
  return {
    instanceID: request.instanceID,
    fence: FIRST_FENCE,
    processID: facts.processID,
    processName: facts.processName,
    version: String(facts.version),
    userName: request.trigger.userName,
    requestID: requestIDs.get(request.instanceID) ?? '',
    flow,
    matrix,
    ...(request.awaited && { awaited: true }),
    vault,
  };
}
