import type { EvidenceFrame } from '@batuta/agent-protocol';
import { InFlightTasks, SerialTasksByTenant } from '@batuta/async';
import { execution, type EvidenceReply } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { RouterContext } from '../context/router-context';
import { LastingFault } from '../reports/lasting-fault';
import { AgentMemory } from '../sessions/agent-memory';
import type { AgentSession } from '../sessions/agent-session';

type PartReply = EvidenceReply | { accepted: false; code: string; message: string };

const BUSY_CODE = 'BUSY';
const BUSY_REPLY: PartReply = {
  accepted: false,
  code: BUSY_CODE,
  message: 'Too many parts of pictures wait for the service; send this part again after a moment.',
};

const UNSTORABLE_REPLY: PartReply = {
  accepted: false,
  code: 'INTERNAL',
  message: 'The service cannot store this part; it failed in every attempt of the last minutes.',
};

/**
 * Forwards the parts of agents' pictures to execution, one at a time for each company at this replica, and acknowledges a part once it
 * is committed. Execution checks that the instance belongs to the agent's environment, because the router does not know
 * an instance that has ended.
 */
@Injectable()
export class EvidenceForwarder {
  private readonly forwarding = new InFlightTasks();
  private readonly serialTasks = new SerialTasksByTenant();

  constructor(
    private readonly context: RouterContext,
    private readonly memory: AgentMemory,
  ) {}

  /**
   * Queues a part and returns at once. A part for which the session or the memory has no room is refused as BUSY, and the
   * agent repeats it later. The socket is not paused, because pictures must not delay the heartbeats and reports after them.
   */
  receive(session: AgentSession, part: EvidenceFrame, bytes: number): void {
    const memory = session.parts.isFull ? undefined : this.memory.parts.tryReserve(session.memoryTenant, bytes);
    if (!memory) return this.acknowledge(session, part, BUSY_REPLY);
    if (session.parts.add(part, memory)) this.forwarding.add(this.forwardAll(session));
  }

  /** Resolves when execution has replied to the parts in flight, or their sessions have ended. */
  drain(): Promise<void> {
    return this.forwarding.drain();
  }

  private async forwardAll(session: AgentSession): Promise<void> {
    const { parts } = session;
    for (let part = parts.oldest; part; part = parts.oldest) {
      const reply = await this.forward(session, part);
      // The session has ended; the agent repeats the part in its next session.
      if (!reply) return;
      parts.removeOldest();
      this.acknowledge(session, part, reply);
    }
  }

  /**
   * Sends a part to execution until it replies. Undefined when the session ends. Between two attempts the other agents of the company have
   * their turns, and a part that execution cannot store for ten minutes, although its database is there, is refused.
   */
  private async forward(
    { environmentID, companyID, endSignal }: AgentSession,
    part: EvidenceFrame,
  ): Promise<PartReply | undefined> {
    const request = { ...part, environmentID };
    // Pictures have their own share of execution's memory, so that they do not use up that of the reports.
    const options = { tenant: companyID, memoryShare: `evidence of ${companyID}` };
    const fault = new LastingFault();
    const call = async () => {
      endSignal.throwIfAborted();
      return this.context.rpc.call(execution.keepEvidence, request, options);
    };
    const send = () =>
      fault
        .watch(() => this.serialTasks.run(companyID, call))
        .catch((error: unknown): PartReply => {
          if (fault.lasts) return UNSTORABLE_REPLY;
          throw error;
        });
    try {
      return await this.context.retry('keepEvidence', send, endSignal);
    } catch (error) {
      // A definite refusal concerns only this picture, and a retry would not change it.
      const { code, message } = error instanceof ApiError ? error : new ApiError('INTERNAL');
      return { accepted: false, code, message };
    }
  }

  private acknowledge(
    session: AgentSession,
    { instanceID, fence, evidenceID, part }: EvidenceFrame,
    reply: PartReply,
  ): void {
    this.context.metrics.pictureParts.inc({ result: reply.accepted ? 'accepted' : reply.code });
    session.send({ type: 'evidenceAck', instanceID, fence, evidenceID, part, ...reply });
    // BUSY is counted in the metric and not logged: an agent that repeats its parts too fast would fill the log.
    if (reply.accepted || reply.code === BUSY_CODE) return;
    const { code, message: reason } = reply;
    const { id: sessionID, environmentID } = session;
    // A refusal is logged only at debug level: the agent logs it, too, and a hostile agent would fill this log.
    this.context.logger.debug(
      { instanceID, evidenceID, sessionID, environmentID, code, reason },
      'execution refused a part of a picture',
    );
  }
}
