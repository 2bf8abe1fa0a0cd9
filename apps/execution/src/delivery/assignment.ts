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
    const sessions = new Map<string, string>();
    for (const one of accepted) {
      const hand = this.handFor(one);
      if (!hand || hand.work.length >= hand.taker.limit) continue;
      const content = await this.contentOf(tx, one);
      const bytes = content && content.bytes + Buffer.byteLength(JSON.stringify(one.launch.matrix));
      if (!content || !bytes || hand.bytes + bytes > MOST_BYTES) continue;
      const vault = await this.vaultFor(tx, one, content);
      if (!vault) continue;
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
      if (work.length > 0) taker.give(work);
      else this.takers.putBack(environmentID, taker);
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

  private handFor({ launch, status }: Accepted): Hand | undefined {
    const { environmentID } = launch.environment;
    if (status !== 'started' || 'draft' in launch.flow) return undefined;
    const known = this.hands.get(environmentID);
    if (known) return known;
    const taker = this.takers.take(environmentID);
    if (!taker) return undefined;
    const hand: Hand = { environmentID, taker, work: [], bytes: 0 };
    this.hands.set(environmentID, hand);
    return hand;
  }

  private async contentOf(tx: Store, { launch: { flow } }: Accepted): Promise<FlowContent | undefined> {
    if ('draft' in flow) return undefined;
    return (await this.flows.load(tx, [flow.versionID])).get(flow.versionID);
  }

  /** Undefined when it does not open here: such a start is queued, and must not fail those accepted with it. */
  private async vaultFor(
    tx: Store,
    { launch: { facts } }: Accepted,
    { vaultKeys }: FlowContent,
  ): Promise<Record<string, string> | undefined> {
    const values = await sealedVault(tx, facts.ownerAccountID, vaultKeys);
    try {
      return openVault(this.keys, facts.ownerAccountID, values);
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
