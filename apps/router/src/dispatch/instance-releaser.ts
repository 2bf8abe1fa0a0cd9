import { InFlightTasks } from '@batuta/async';
import { execution, type HeldInstance } from '@batuta/contracts';
import { Injectable } from '@nestjs/common';
import { RouterContext } from '../context/router-context';
import type { AgentSession } from '../sessions/agent-session';

/** How long a release is retried. If every attempt fails, execution's sweep requeues the instances. */
const RETRY_LIMIT_MS = 10_000;

/**
 * Releases instances that were claimed but not granted. It is best effort: execution's sweep requeues those whose
 * release fails.
 */
@Injectable()
export class InstanceReleaser {
  private readonly releases = new InFlightTasks();

  constructor(private readonly context: RouterContext) {}

  /** Begins the release and returns at once. */
  release(session: AgentSession, instances: readonly HeldInstance[]): void {
    if (instances.length === 0) return;
    this.releases.add(this.requestRelease(session, instances));
  }

  /** Resolves when the releases in flight have succeeded or failed. */
  drain(): Promise<void> {
    return this.releases.drain();
  }

  private async requestRelease(
    { id: sessionID, companyID }: AgentSession,
    instances: readonly HeldInstance[],
  ): Promise<void> {
    const { rpc, logger } = this.context;
    const request = { sessionID, instances: instances.map(({ instanceID, fence }) => ({ instanceID, fence })) };
    const attempt = () => rpc.call(execution.release, request, { tenant: companyID });
    try {
      const reply = await this.context.retry('release', attempt, AbortSignal.timeout(RETRY_LIMIT_MS));
      if (reply) logger.info(request, 'the router released instances of a session');
      else logger.warn(request, 'instances of a session were not released; the sweep of execution requeues them');
    } catch (error) {
      logger.error({ err: error, ...request }, 'execution refused to release instances of a session');
    }
  }
}
