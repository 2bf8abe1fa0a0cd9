import { execution, type ReportFrame } from '@batuta/contracts';
import { faultPoint, withRequestID } from '@batuta/observability';
import type { Custody } from '../dispatch/custody';
import { farewell } from '../frames/farewell';
import { keepAsking } from '../keep-asking';
import type { Held } from '../sessions/held';
import type { Session } from '../sessions/session';
import type { Tools } from '../tools';
import { UnderWay } from '../under-way';

interface Answer {
  accepted: boolean;
  seq: number;
}

/** Brings what agents report to execution, in order for each instance, and acknowledges only what is committed. */
export class Reports {
  private readonly underWay = new UnderWay();

  constructor(
    private readonly tools: Tools,
    private readonly custody: Custody,
    private readonly leave: (session: Session, why: ReturnType<typeof farewell.badFrame>) => void,
  ) {}

  take(session: Session, report: ReportFrame, bytes: number): void {
    const held = session.find(report);
    if (held?.state !== 'granted') return this.acknowledge(session, report, { accepted: false, seq: report.seq });
    faultPoint('router:mid-report');
    const first = session.reports.add(report, bytes);
    if (session.reports.full) session.socket.pause();
    if (first) this.begin(session, held);
  }

  /** Once the calls under way are answered. */
  settled(): Promise<void> {
    return this.underWay.settled();
  }

  private begin(session: Session, held: Held): void {
    const forwarding = withRequestID(held.requestID, () => this.forwardAll(session, held));
    this.underWay.add(forwarding.catch((error: unknown) => this.refused(session, held, error)));
  }

  private async forwardAll(session: Session, held: Held): Promise<void> {
    const queue = session.reports;
    for (let next = queue.next(held.instanceID); next; next = queue.next(held.instanceID)) {
      const answer = await this.forward(session, next);
      if (!answer) return;
      queue.done(held.instanceID);
      faultPoint('router:before-ack');
      this.acknowledge(session, next, answer);
      if (!answer.accepted) queue.drop(held.instanceID);
      if (queue.slack) session.socket.resume();
      this.conclude(session, held, next, answer);
    }
  }

  /** Undefined when the session is over; the agent sends it again in its next. */
  private forward(session: Session, report: ReportFrame): Promise<Answer | undefined> {
    const { rpc, figures } = this.tools;
    const ask = () => rpc.call(execution.report, { ...report, sessionID: session.id });
    return keepAsking(ask, session.over, () => figures.retries.inc({ call: 'report' }));
  }

  private acknowledge(session: Session, { instanceID, fence }: ReportFrame, { accepted, seq }: Answer): void {
    this.tools.figures.reports.inc({ result: accepted ? 'accepted' : 'refused' });
    session.send({ type: 'ack', instanceID, fence, seq, accepted });
  }

  private conclude(session: Session, held: Held, report: ReportFrame, { accepted }: Answer): void {
    if (accepted && !report.end) return;
    const { instanceID, fence } = held;
    const line = { instanceID, fence, sessionID: session.id, environmentID: session.environmentID };
    this.tools.logger.info({ ...line, outcome: report.end?.outcome }, accepted ? 'ended' : 'report refused');
    this.custody.happen(session, held, accepted ? 'ended' : 'disowned');
  }

  /** Only a wrong report is refused for good, as one that comes out of turn: the agent does not keep the protocol. */
  private refused(session: Session, { instanceID, fence }: Held, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.tools.logger.error({ err: error, instanceID, fence, sessionID: session.id }, 'report refused');
    this.leave(session, farewell.badFrame(message));
  }
}
