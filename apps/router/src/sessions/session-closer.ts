import { InFlightTasks } from '@batuta/async';
import { Injectable } from '@nestjs/common';
import { RouterContext } from '../context/router-context';
import type { CloseReason } from '../frames/close-reason';
import type { AgentSession } from './agent-session';
import { AgentSessions } from './agent-sessions';
import { SessionRepository } from './session.repository';

/** Close codes that an agent chooses freely: a label with them would have two thousand values. */
const AGENT_CLOSE_CODE = /^[34]\d{3}$/;

/**
 * Ends sessions: removes each from the list, notifies the listeners, which release its instances that are not granted, and closes its row.
 */
@Injectable()
export class SessionCloser {
  /** Ended sessions whose rows are still to be closed. A row that is never closed expires with its lease. */
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

  /** Sends the reason to the agent, closes the socket and ends the session. */
  close(session: AgentSession, reason: CloseReason): void {
    session.socket.close(reason);
    this.end(session, reason.code);
  }

  /** Closes a session before its welcome, and counts its connection among the refused ones, with the HTTP status that says the same. */
  refuse(session: AgentSession, reason: CloseReason, status: 401 | 503): void {
    // The session has ended already when the agent left first.
    if (!session.endSignal.aborted) this.context.metrics.refusedConnections.inc({ status: String(status) });
    this.close(session, reason);
  }

  /**
   * Terminates the connection of an agent that was silent for its grace period, and ends the session: the agent has suspended its instances,
   * and would read no close frame.
   */
  terminate(session: AgentSession): void {
    session.socket.terminate();
    this.end(session, 'SILENT');
  }

  /** Ends the session of a socket that is closed or closing. A second call has no effect. */
  end(session: AgentSession, reason: string): void {
    if (this.remove(session, reason)) this.closeRow(session.id);
  }

  /**
   * Ends the session at a router that stops. The row of the session stays open, so that the environment stays online
   * until the agent resumes at another router, which closes the row, or until the lease expires.
   */
  endWithoutClosingRow(session: AgentSession): void {
    this.remove(session, 'GOING_AWAY');
  }

  /** Notifies the listeners; false when the session has ended before. */
  private remove(session: AgentSession, reason: string): boolean {
    if (!this.sessions.remove(session)) return false;
    const { id: sessionID, environmentID, instances, isWelcomed } = session;
    const label = AGENT_CLOSE_CODE.test(reason) ? 'OTHER' : reason;
    if (isWelcomed) this.context.metrics.sessionsEnded.inc({ reason: label });
    this.context.logger.info({ sessionID, environmentID, reason, held: instances.size }, 'a session ended');
    session.end();
    for (const listener of this.listeners) listener(session);
    return true;
  }

  /** Begins to close the row and returns at once; the next renewal of leases retries after an error. */
  closeRow(sessionID: string): void {
    this.unclosedRows.add(sessionID);
    const onError = (err: unknown) =>
      this.context.logger.warn(
        { err, sessionID },
        'the row of a session is not closed yet; the next renewal of leases retries',
      );
    this.updates.add(this.closeAllRows().catch(onError));
  }

  /** Closes the rows of all ended sessions; also called with every renewal of leases, to retry. */
  async closeAllRows(): Promise<void> {
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
