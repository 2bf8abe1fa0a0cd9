import { execution, type InstanceWithDesiredState } from '@batuta/contracts';
import { withRequestID } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import { RouterContext } from '../context/router-context';
import type { AgentSession } from '../sessions/agent-session';
import { AgentSessions } from '../sessions/agent-sessions';
import type { TrackedInstance } from '../sessions/tracked-instance';

/** Maximum number of sessions of one request to execution. */
const SESSION_BATCH_SIZE = 500;

/** Sends desired states to agents: at once after a notification, and by reconciliation when a notification was lost. */
@Injectable()
export class DesiredStateSync {
  constructor(
    private readonly context: RouterContext,
    private readonly sessions: AgentSessions,
  ) {}

  /**
   * Sends a changed desired state to the agent of a granted instance; for an instance before its grant, the grant will carry it. Ignores an
   * instance that no session of this replica tracks.
   */
  onNotification({ sessionID, instanceID, fence, desired }: InstanceWithDesiredState & { sessionID: string }): void {
    const session = this.sessions.get(sessionID);
    const instance = session?.find({ instanceID, fence });
    if (session && instance) session.setDesired(instance, desired);
  }

  /** Asks execution for the desired states of all granted instances at this replica, and sends those that changed. */
  async reconcile(): Promise<void> {
    const running = this.sessions.all().filter((session) => grantedOf(session).length > 0);
    for (let start = 0; start < running.length; start += SESSION_BATCH_SIZE) {
      await this.reconcileBatch(running.slice(start, start + SESSION_BATCH_SIZE));
    }
  }

  private async reconcileBatch(sessions: readonly AgentSession[]): Promise<void> {
    const before = sessions.flatMap((session) =>
      grantedOf(session).map((instance) => ({ session, instance, version: instance.desiredVersion })),
    );
    const { instances } = await this.context.rpc.call(execution.desired, { sessionIDs: sessions.map(({ id }) => id) });
    const desired = new Map(instances.map((one) => [`${one.instanceID} ${one.fence}`, one.desired]));
    for (const { session, instance, version } of before) {
      const { instanceID, fence, requestID } = instance;
      // An instance about which a notification arrived during the call is skipped, because the notification is newer
      // than the reply.
      if (instance.desiredVersion !== version || session.find(instance) !== instance) continue;
      // An instance that execution does not list counts as `run`.
      withRequestID(requestID, () => session.setDesired(instance, desired.get(`${instanceID} ${fence}`) ?? 'run'));
    }
  }
}

function grantedOf(session: AgentSession): TrackedInstance[] {
  return [...session.instances.values()].filter(({ state }) => state === 'granted');
}
