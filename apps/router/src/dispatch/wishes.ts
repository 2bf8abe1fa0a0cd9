import { execution, type DesiredInstance } from '@batuta/contracts';
import { withRequestID } from '@batuta/observability';
import type { Session } from '../sessions/session';
import type { Sessions } from '../sessions/sessions';
import type { Tools } from '../tools';

const AT_ONCE = 500;

/** Tells agents what is wanted of the instances that they run: at once by hint, and at last by asking execution. */
export class Wishes {
  constructor(
    private readonly tools: Tools,
    private readonly sessions: Sessions,
  ) {}

  heard({ sessionID, instanceID, fence, desired }: DesiredInstance & { sessionID: string }): void {
    const session = this.sessions.get(sessionID);
    const held = session?.find({ instanceID, fence });
    if (session && held) session.tell(held, desired);
  }

  async reconcile(): Promise<void> {
    const running = this.sessions
      .all()
      .filter(({ held }) => [...held.values()].some(({ state }) => state === 'granted'));
    for (let start = 0; start < running.length; start += AT_ONCE) {
      await this.reconcileSome(running.slice(start, start + AT_ONCE));
    }
  }

  private async reconcileSome(sessions: readonly Session[]): Promise<void> {
    // A word that comes by hint while execution is asked is newer than the answer.
    const asked = sessions.flatMap((session) =>
      [...session.held.values()]
        .filter(({ state }) => state === 'granted')
        .map((held) => ({ session, held, told: held.told })),
    );
    const { instances } = await this.tools.rpc.call(execution.desired, { sessionIDs: sessions.map(({ id }) => id) });
    const wanted = new Map(instances.map((instance) => [`${instance.instanceID} ${instance.fence}`, instance.desired]));
    for (const { session, held, told } of asked) {
      const { instanceID, fence, requestID } = held;
      if (held.told !== told || session.find(held) !== held) continue;
      // What execution does not list is simply to run.
      withRequestID(requestID, () => session.tell(held, wanted.get(`${instanceID} ${fence}`) ?? 'run'));
    }
  }
}
