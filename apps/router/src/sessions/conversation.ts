import type { AgentFrame } from '@batuta/contracts';
import type { Custody } from '../dispatch/custody';
import type { Dispatch } from '../dispatch/dispatch';
import { farewell } from '../frames/farewell';
import type { Reports } from '../reports/reports';
import type { Departures } from './departures';
import type { Session } from './session';

/** What an agent says once it said hello. */
export class Conversation {
  constructor(
    private readonly custody: Custody,
    private readonly reports: Reports,
    private readonly dispatch: Dispatch,
    private readonly departures: Departures,
  ) {}

  begin(session: Session): void {
    session.socket.listen({
      frame: (frame, bytes) => {
        if (session.open) this.receive(session, frame, bytes);
        else session.early.push({ frame, bytes });
      },
      closed: (code) => this.departures.end(session, String(code)),
    });
  }

  /** After the welcome: what came early, then all that comes, then work. */
  open(session: Session): void {
    session.open = true;
    session.heardAt = performance.now();
    for (const { frame, bytes } of session.early.splice(0)) this.receive(session, frame, bytes);
    session.socket.resume();
    this.dispatch.wanted(session.environmentID);
  }

  private receive(session: Session, frame: AgentFrame, bytes: number): void {
    session.heardAt = performance.now();
    switch (frame.type) {
      case 'heartbeat':
        return session.send({ type: 'heartbeat' });
      case 'accept':
        return this.custody.answered(session, frame, 'accepted');
      case 'reject':
        return this.custody.answered(session, frame, 'rejected', frame.reason);
      case 'report':
        return this.reports.take(session, frame, bytes);
      case 'drain':
        session.draining = true;
        return;
      case 'hello':
        return this.departures.leave(session, farewell.badFrame('type: hello comes once'));
    }
  }
}
