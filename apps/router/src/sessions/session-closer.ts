import { InFlightTasks } from '@batuta/async';
import { Injectable } from '@nestjs/common';
import { RouterContext } from '../context/router-context';
import type { CloseReason } from '../frames/close-reason';
import type { AgentSession } from './agent-session';
import { AgentSessions } from './agent-sessions';
import { SessionRepository } from './session.repository';

/** Ends sessions: removes them, lets their instances be released, and closes their rows. */
@Injectable()
export class SessionCloser {
  /** Sessions whose rows are not closed yet. A row that is never closed lapses with its lease. */
  private readonly unclosedRows = new Set<string>();
  private readonly updates = new InFlightTasks();
  private readonly listeners: ((session: AgentSession) => void)[] = [];

  constructor(
    private readonly context: RouterContext,
    private readonly sessions: AgentSessions,
    private readonly repository: SessionRepository,
  ) {}

  /** Calls `listener` with every session that ends, before its row is closed. */
  onEnd(listener: (session: AgentSession) => void): void {
    this.listeners.push(listener);
  }

  /** Sends the reason to the agent and closes the socket. */
  close(session: AgentSession, reason: CloseReason): void {
    session.socket.close(reason);
    this.end(session, reason.code);
  }

  /** For an agent that sent nothing for its grace period: it has stopped its instances and would read no close frame. */
  terminate(session: AgentSession): void {
    session.socket.terminate();
    this.end(session, 'SILENT');
  }

  /** For a socket that is closed or closing. A second call has no effect. */
  end(session: AgentSession, reason: string): void {
    if (!this.sessions.remove(session)) return;
    const { id: sessionID, environmentID, instances } = session;
    this.context.metrics.sessionsEnded.inc({ reason });
    this.context.logger.info({ sessionID, environmentID, reason, held: instances.size }, 'session ended');
    session.end();
    for (const listener of this.listeners) listener(session);
    this.closeRow(sessionID);
  }

  closeRow(sessionID: string): void {
    this.unclosedRows.add(sessionID);
    const onError = (err: unknown) =>
      this.context.logger.warn({ err, sessionID }, 'session row not closed yet; the next renewal of leases retries');
    this.updates.add(this.closeRows().catch(onError));
  }

  /** Closes the rows of all ended sessions; also called with every renewal of leases, to retry. */
  async closeRows(): Promise<void> {
    const sessionIDs = [...this.unclosedRows];
    if (sessionIDs.length === 0) return;
    await this.repository.close(sessionIDs);
    for (const id of sessionIDs) this.unclosedRows.delete(id);
  }

  /** Resolves when the row updates in flight have ended. */
  drain(): Promise<void> {
    return this.updates.drain();
  }
}
