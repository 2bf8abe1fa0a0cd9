import type { Session } from './session';

/** The sessions at this replica. */
export class Sessions {
  private readonly byID = new Map<string, Session>();
  private readonly byEnvironment = new Map<string, Set<Session>>();

  add(session: Session): void {
    this.byID.set(session.id, session);
    const others = this.byEnvironment.get(session.environmentID);
    if (others) others.add(session);
    else this.byEnvironment.set(session.environmentID, new Set([session]));
  }

  remove(session: Session): boolean {
    const others = this.byEnvironment.get(session.environmentID);
    others?.delete(session);
    if (others?.size === 0) this.byEnvironment.delete(session.environmentID);
    return this.byID.delete(session.id);
  }

  get(sessionID: string): Session | undefined {
    return this.byID.get(sessionID);
  }

  all(): Session[] {
    return [...this.byID.values()];
  }

  of(environmentID: string): Session[] {
    return [...(this.byEnvironment.get(environmentID) ?? [])];
  }

  environmentIDs(): string[] {
    return [...this.byEnvironment.keys()];
  }

  get size(): number {
    return this.byID.size;
  }
}
