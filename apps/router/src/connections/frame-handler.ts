import type { AgentFrame } from '@batuta/agent-protocol';
import { Injectable } from '@nestjs/common';
import { Dispatcher } from '../dispatch/dispatcher';
import { OfferTracker } from '../dispatch/offer-tracker';
import { EvidenceForwarder } from '../evidence/evidence-forwarder';
import { closeReasons } from '../frames/close-reason';
import { ReportForwarder } from '../reports/report-forwarder';
import type { AgentSession } from '../sessions/agent-session';
import { SessionCloser } from '../sessions/session-closer';

/** Handles the frames of an agent after its hello. */
@Injectable()
export class FrameHandler {
  constructor(
    private readonly offers: OfferTracker,
    private readonly reports: ReportForwarder,
    private readonly evidence: EvidenceForwarder,
    private readonly dispatcher: Dispatcher,
    private readonly closer: SessionCloser,
  ) {}

  /**
   * Listens to the socket of the session; when the socket closes, the session ends. Frames that arrive before the welcome are kept until
   * `start`.
   */
  attach(session: AgentSession): void {
    session.socket.listen({
      onFrame: (frame, bytes) => {
        if (session.isWelcomed) this.handle(session, frame, bytes);
        else session.earlyFrames.push({ frame, bytes });
      },
      onInvalidReport: (reason, report) => this.reports.endInstanceOfInvalidReport(session, reason, report),
      onClose: (reason) => this.closer.end(session, reason),
    });
  }

  /** Called after the welcome: handles the early frames, then reads the socket, then claims work. */
  start(session: AgentSession): void {
    session.isWelcomed = true;
    session.lastFrameAt = performance.now();
    for (const { frame, bytes } of session.earlyFrames.splice(0)) {
      // A second hello ends the session; nothing would release the memory of a later frame.
      if (session.endSignal.aborted) return;
      this.handle(session, frame, bytes);
    }
    session.socket.allowAllFrames();
    this.dispatcher.onWork(session.environmentID);
  }

  private handle(session: AgentSession, frame: AgentFrame, bytes: number): void {
    session.lastFrameAt = performance.now();
    switch (frame.type) {
      case 'heartbeat':
        return void session.send({ type: 'heartbeat' });
      case 'accept':
        return this.offers.onOfferReply(session, frame, 'accepted');
      case 'reject':
        return this.offers.onOfferReply(session, frame, 'rejected', frame.reason);
      case 'report':
        return this.reports.receive(session, frame, bytes);
      case 'evidence':
        return this.evidence.receive(session, frame, bytes);
      case 'drain':
        session.isDraining = true;
        return;
      case 'hello':
        return this.closer.close(session, closeReasons.badFrame('type: hello comes once'));
    }
  }
}
