import { Metrics } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import type { AgentSession, SessionGroup } from './agent-session';

/** The sessions at this replica, from their hello to their end, also while they have no welcome yet. */
@Injectable()
export class AgentSessions {
  private readonly byID = new Map<string, AgentSession>();
  private readonly byEnvironment = new Map<string, Set<AgentSession>>();

  constructor(metrics: Metrics) {
    metrics.gauge(
      'batuta_router_sessions',
      'Agents connected to this replica and welcomed.',
      () => this.all().filter(({ isWelcomed }) => isWelcomed).length,
    );
  }

  add(session: AgentSession): void {
    this.byID.set(session.id, session);
    const others = this.byEnvironment.get(session.environmentID);
    if (others) others.add(session);
    else this.byEnvironment.set(session.environmentID, new Set([session]));
  }

  /** Removes a session; returns false when it was removed before. */
  remove(session: AgentSession): boolean {
    const others = this.byEnvironment.get(session.environmentID);
    others?.delete(session);
    if (others?.size === 0) this.byEnvironment.delete(session.environmentID);
    return this.byID.delete(session.id);
  }

  get(sessionID: string): AgentSession | undefined {
    return this.byID.get(sessionID);
  }

  all(): AgentSession[] {
    return [...this.byID.values()];
  }

  inEnvironment(environmentID: string): AgentSession[] {
    return [...(this.byEnvironment.get(environmentID) ?? [])];
  }

  /** The groups of an environment's sessions; the agents of a group have equal abilities. */
  groupsIn(environmentID: string): SessionGroup[] {
    const groups = new Map<string, SessionGroup>();
    for (const { group } of this.inEnvironment(environmentID)) groups.set(group.key, group);
    return [...groups.values()];
  }

  inGroup({ key, environmentID }: SessionGroup): AgentSession[] {
    return this.inEnvironment(environmentID).filter(({ group }) => group.key === key);
  }

  environmentIDs(): string[] {
    return [...this.byEnvironment.keys()];
  }
}
