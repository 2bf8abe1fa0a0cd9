import { execution, type DesiredState, type HeldInstance, type Work } from '@batuta/contracts';
import { faultPoint, withRequestID } from '@batuta/observability';
import { keepAsking } from '../keep-asking';
import type { Held, HeldAct, HeldEvent } from '../sessions/held';
import type { Session } from '../sessions/session';
import type { Tools } from '../tools';
import { UnderWay } from '../under-way';
import type { Releases } from './releases';

/** What befalls the instances that sessions hold: offer → accept → grant, and every way out. */
export class Custody {
  private readonly grants = new UnderWay();

  constructor(
    private readonly tools: Tools,
    private readonly releases: Releases,
    private readonly offerMs: number,
    /** A session may take more work. */
    private readonly freed: (session: Session) => void,
  ) {}

  offer(session: Session, work: readonly Work[]): void {
    for (const item of work) withRequestID(item.requestID, () => this.offerOne(session, item));
    faultPoint('router:after-offer');
  }

  /** The agent's answer to an offer; one that comes too late finds nothing to answer. */
  answered(session: Session, answer: HeldInstance, event: 'accepted' | 'rejected', reason?: string): void {
    const held = session.find(answer);
    if (held?.state !== 'offered') return;
    this.tools.figures.offers.inc({ result: event });
    if (event === 'accepted') session.rested();
    withRequestID(held.requestID, () => {
      if (event === 'rejected') this.note(session, held, `offer rejected: ${reason}`);
      this.happen(session, held, event);
    });
  }

  /** Does what the table says for an event; nothing when it says nothing. */
  happen(session: Session, held: Held, event: HeldEvent): void {
    const move = session.move(held, event);
    if (!move) return;
    for (const act of move.acts) this.act(session, held, act);
    if (move.to === 'gone' && event !== 'sessionEnded') this.freed(session);
  }

  /** Gives back in one go what was not granted; the rest waits for the agent's return. */
  sessionEnded(session: Session): void {
    const moves = [...session.held.values()].map((held) => ({ held, move: session.move(held, 'sessionEnded') }));
    const back = moves.filter(({ move }) => move?.acts.includes('release')).map(({ held }) => held);
    this.releases.release(session.id, back);
  }

  /** Once the grants that were asked for are answered. */
  settled(): Promise<void> {
    return this.grants.settled();
  }

  private offerOne(session: Session, work: Work): void {
    const held = session.holdOffered(work);
    held.timer = setTimeout(() => {
      this.tools.figures.offers.inc({ result: 'unanswered' });
      withRequestID(held.requestID, () => {
        this.note(session, held, 'offer not answered');
        this.happen(session, held, 'unanswered');
      });
    }, this.offerMs).unref();
    session.send({ type: 'offer', ...work });
    this.tools.figures.offers.inc({ result: 'offered' });
    this.note(session, held, 'offered', 'debug');
  }

  private act(session: Session, held: Held, act: HeldAct): void {
    const { instanceID, fence, desired } = held;
    switch (act) {
      case 'askGrant':
        this.grants.add(this.askGrant(session, held));
        break;
      case 'sendGrant':
        session.send({ type: 'grant', instanceID, fence, desired });
        break;
      case 'sendRevoke':
        session.send({ type: 'revoke', instanceID, fence });
        break;
      case 'release':
        this.releases.release(session.id, [held]);
        break;
      case 'rest':
        session.rest();
        break;
    }
  }

  private async askGrant(session: Session, held: Held): Promise<void> {
    const told = held.told;
    const answer = await this.grantOf(session, held);
    // Without an answer the session is over; what it held then was given back, or the agent resumes with it.
    if (!answer) return;
    this.tools.figures.grants.inc({ result: answer.granted ? 'granted' : 'refused' });
    if (answer.granted) this.note(session, held, 'granted', 'debug');
    else this.note(session, held, 'grant refused');
    if (answer.granted) faultPoint('router:after-grant');
    // A word that came by hint meanwhile is as new as the answer, or newer.
    if (held.told === told) held.desired = answer.desired;
    this.happen(session, held, answer.granted ? 'granted' : 'refused');
  }

  /**
   * Asked until it is answered, for as long as the session lives: if an earlier try was committed after all, the same
   * question is answered with yes again.
   */
  private async grantOf(
    session: Session,
    { instanceID, fence }: Held,
  ): Promise<{ granted: boolean; desired: DesiredState } | undefined> {
    const { rpc, figures, logger } = this.tools;
    const request = { instanceID, fence, sessionID: session.id };
    try {
      const ask = () => rpc.call(execution.grant, request);
      return await keepAsking(ask, session.over, () => figures.retries.inc({ call: 'grant' }));
    } catch (error) {
      logger.error({ err: error, ...request }, 'grant failed');
      return { granted: false, desired: 'run' };
    }
  }

  /** What goes as it should is no line of its own at `info`: the end of each instance is. */
  private note(session: Session, { instanceID, fence }: Held, what: string, level: 'debug' | 'info' = 'info'): void {
    this.tools.logger[level]({ instanceID, fence, sessionID: session.id, environmentID: session.environmentID }, what);
  }
}
