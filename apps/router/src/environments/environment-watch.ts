import { agentEnvironments, type AgentEnvironment } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { Dispatcher } from '../dispatch/dispatcher';
import { closeReasons, type CloseReason } from '../frames/close-reason';
import type { AgentSession } from '../sessions/agent-session';
import { AgentSessions } from '../sessions/agent-sessions';
import { SessionCloser } from '../sessions/session-closer';

const ENVIRONMENT_BATCH_SIZE = 500;

/** Follows the connected environments: a rotated key or a deletion ends sessions, a new capacity changes their room. */
@Injectable()
export class EnvironmentWatch {
  constructor(
    private readonly store: Store,
    private readonly sessions: AgentSessions,
    private readonly closer: SessionCloser,
    private readonly dispatcher: Dispatcher,
  ) {}

  async checkAll(): Promise<void> {
    const ids = this.sessions.environmentIDs();
    for (let start = 0; start < ids.length; start += ENVIRONMENT_BATCH_SIZE) {
      await this.check(ids.slice(start, start + ENVIRONMENT_BATCH_SIZE));
    }
  }

  async check(environmentIDs: readonly string[]): Promise<void> {
    // The sessions are listed before the query; those that connect during it are skipped, because newer facts admitted them.
    const sessions = environmentIDs.flatMap((id) => this.sessions.inEnvironment(id));
    if (sessions.length === 0) return;
    const environments = await agentEnvironments(this.store, environmentIDs);
    for (const session of sessions) this.apply(session, environments.get(session.environmentID));
  }

  private apply(session: AgentSession, environment: AgentEnvironment | undefined): void {
    const reason = closeReasonFor(session.keyHash, environment);
    if (reason) return this.closer.close(session, reason);
    if (!environment || environment.capacity === session.environmentCapacity) return;
    session.environmentCapacity = environment.capacity;
    this.dispatcher.onWork(session.environmentID);
  }
}

/** The reason to end a session, given the current facts of its environment; undefined = it continues. */
function closeReasonFor(keyHash: Buffer, environment: AgentEnvironment | undefined): CloseReason | undefined {
  if (!environment) return closeReasons.environmentGone();
  return environment.keyHash.equals(keyHash) ? undefined : closeReasons.badKey();
}
