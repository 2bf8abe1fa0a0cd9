import { InFlightTasks, type Reservation } from '@batuta/async';
import type { ReportFrame, ReportResponse } from '@batuta/agent-protocol';
import { execution } from '@batuta/contracts';
import { faultPoint, withRequestID } from '@batuta/observability';
import { isSameTrace, isTracing, runInSpan } from '@batuta/tracing';
import { Injectable } from '@nestjs/common';
import { RouterContext } from '../context/router-context';
import { OfferTracker } from '../dispatch/offer-tracker';
import { closeReasons, type CloseReason } from '../frames/close-reason';
import type { RefusedReport } from '../frames/read-frame';
import { AgentMemory } from '../sessions/agent-memory';
import type { AgentSession } from '../sessions/agent-session';
import { SessionCloser } from '../sessions/session-closer';
import type { TrackedInstance } from '../sessions/tracked-instance';
import { endOfRefused } from './end-of-refused';
import { FailingReports } from './failing-reports';
import { LastingFault } from './lasting-fault';

interface Acknowledgement {
  accepted: boolean;
  seq: number;
}

/**
 * Time limit to store the end of an instance whose agent sent an invalid report; afterwards the connection closes although
 * the end is not stored. Tests change the limit.
 */
export const REFUSAL = { limitMilliseconds: 2_000 };
/** Report memory that must be free before a paused socket is read again. */
const MIN_FREE_BYTES = 64 * 1024;

/** Forwards agents' reports to execution, in order for each instance, and acknowledges a report once it is committed. */
@Injectable()
export class ReportForwarder {
  private readonly forwarding = new InFlightTasks();
  /** The ends in place of invalid reports, with the reason for which their connection closes once they are stored. */
  private readonly refusals = new WeakMap<ReportFrame, CloseReason>();

  constructor(
    private readonly context: RouterContext,
    private readonly offers: OfferTracker,
    private readonly closer: SessionCloser,
    private readonly memory: AgentMemory,
    private readonly failing: FailingReports,
  ) {}

  /** Queues the report of an instance that the session has been granted; refuses any other at once. Returns before the report is stored. */
  receive(session: AgentSession, report: ReportFrame, bytes: number): void {
    const instance = session.find(report);
    if (instance?.state !== 'granted') return this.acknowledge(session, report, { accepted: false, seq: report.seq });
    instance.lastReport = Math.max(report.seq, instance.lastReport ?? 0);
    faultPoint('router:mid-report');
    const isOnlyReport = session.reports.add(report, bytes);
    this.holdBack(session);
    if (isOnlyReport) this.start(session, instance);
  }

  /**
   * Ends the instance of an invalid report, behind the reports before it, so that its owner reads why; then closes the connection. Without the
   * end, the instance would end as that of a lost agent. Only the connection closes when the session does not run the instance, or
   * when the number of the report is not known.
   */
  endInstanceOfInvalidReport(session: AgentSession, reason: CloseReason, refused: RefusedReport): void {
    const instance = session.find(refused);
    // The agent's own number may be the mistake, such as a first report with 0; only an adopted instance needs it.
    const seq = instance?.lastReport === undefined ? refused.seq : instance.lastReport + 1;
    if (instance?.state !== 'granted' || seq === undefined) return this.closer.close(session, reason);
    const end = endOfRefused(instance, seq, reason.message);
    this.refusals.set(end, reason);
    setTimeout(() => this.closer.close(session, reason), REFUSAL.limitMilliseconds).unref();
    if (session.reports.add(end, 0)) this.start(session, instance);
  }

  /** Resolves when execution has replied to the reports in flight, or their sessions have ended. */
  drain(): Promise<void> {
    return this.forwarding.drain();
  }

  /** Stops reading a socket while its session, its environment or its company has too many waiting reports. */
  private holdBack({ reports, socket, memoryTenant, endSignal }: AgentSession): void {
    if (reports.isFull) socket.pause('reports');
    if (reports.fitsMemory || socket.isHeldFor('memory')) return;
    socket.pause('memory');
    const readAgain = (room: Reservation) => {
      room.release();
      socket.resume('memory');
    };
    // The promise rejects when the session ends.
    this.memory.reports.reserve(memoryTenant, MIN_FREE_BYTES, endSignal).then(readAgain, () => undefined);
  }

  private start(session: AgentSession, instance: TrackedInstance): void {
    const forwarding = withRequestID(instance.requestID, () => this.forwardAll(session, instance));
    this.forwarding.add(forwarding.catch((error: unknown) => this.closeForInvalidReport(session, instance, error)));
  }

  private async forwardAll(session: AgentSession, instance: TrackedInstance): Promise<void> {
    const { instanceID } = instance;
    const inbox = session.reports;
    for (let report = inbox.oldest(instanceID); report; report = inbox.oldest(instanceID)) {
      const reply = await this.runTraced(instance, report, () => this.forward(session, report));
      if (!reply) return;
      inbox.removeOldest(instanceID);
      faultPoint('router:before-ack');
      const refusal = this.refusals.get(report);
      if (!refusal) this.acknowledge(session, report, reply);
      if (!reply.accepted) inbox.removeAll(instanceID);
      if (inbox.hasSlack) session.socket.resume('reports');
      this.finish(session, instance, report, reply);
      if (refusal) this.closer.close(session, refusal);
    }
  }

  /**
   * Sends a report to execution until it replies. Undefined when the session ends: the agent repeats the report in its next
   * session. A report that execution cannot store for ten minutes, although its database is there, ends its instance; one that fails in another
   * way is repeated for as long as that takes.
   */
  private forward(session: AgentSession, report: ReportFrame): Promise<Acknowledgement | undefined> {
    const response = report.response && withoutObjects(report.response);
    const request = { ...report, response, sessionID: session.id };
    const fault = new LastingFault();
    const call = () => {
      const last = fault.lasts ? { endIfUnstorable: true as const } : {};
      return this.context.rpc.call(execution.report, { ...request, ...last }, { tenant: session.companyID });
    };
    const send = () =>
      fault.watch(call).catch((error: unknown) => {
        this.failing.add(session, report, error);
        throw error;
      });
    return this.context.retry('report', send, session.endSignal).finally(() => this.failing.remove(report));
  }

  /**
   * Runs the call in a span of the instance's trace, below the agent's span if the report names one of the same trace.
   */
  private runTraced<T>(
    { traceparent, instanceID }: TrackedInstance,
    report: ReportFrame,
    send: () => Promise<T>,
  ): Promise<T> {
    if (!isTracing() || traceparent === undefined) return send();
    const parent = isSameTrace(report.traceparent, traceparent) ? report.traceparent : traceparent;
    const attributes = { 'batuta.instance.id': instanceID, 'batuta.report.seq': report.seq };
    return runInSpan({ name: 'report', attributes }, send, parent);
  }

  private acknowledge(
    session: AgentSession,
    { instanceID, fence }: ReportFrame,
    { accepted, seq }: Acknowledgement,
  ): void {
    this.context.metrics.reports.inc({ result: accepted ? 'accepted' : 'refused' });
    session.send({ type: 'ack', instanceID, fence, seq, accepted });
  }

  /**
   * After the last report of an instance, or a refused one, the instance no longer takes room of the session. After any other
   * report nothing changes.
   */
  private finish(
    session: AgentSession,
    instance: TrackedInstance,
    { end }: ReportFrame,
    { accepted }: Acknowledgement,
  ): void {
    if (accepted && !end) return;
    const { instanceID, fence } = instance;
    const fields = { instanceID, fence, sessionID: session.id, environmentID: session.environmentID };
    this.context.logger.info(
      { ...fields, outcome: end?.outcome },
      accepted ? 'an instance ended' : 'execution refused a report of an instance',
    );
    this.offers.apply(session, instance, accepted ? 'ended' : 'reportRefused');
  }

  /** `error` is a definite refusal by execution (`RouterContext.retry`), which only an invalid report gets: the agent violates the protocol. */
  private closeForInvalidReport(session: AgentSession, { instanceID, fence }: TrackedInstance, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.context.logger.warn(
      { err: error, instanceID, fence, sessionID: session.id },
      'a report of an instance is invalid',
    );
    this.closer.close(session, closeReasons.badFrame(message, instanceID));
  }
}

/**
 * An answer whose objects and lists are `false`. Either makes an answer invalid (execution takes a number and texts), but one that is nested too
 * deeply could never be sent, and the reports of the instance would wait for ever.
 */
function withoutObjects(response: ReportResponse): ReportResponse {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  return Object.fromEntries(Object.entries(response).map(([name, value]) => [name, isObject(value) ? false : value]));
}
