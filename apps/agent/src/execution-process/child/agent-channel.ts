import type { ReportLine } from '@batuta/agent-protocol';
import type { Picture } from '../../evidence/evidence-sink';
import { isToChild, type FromChild, type ToChild } from '../messages';

/** Log lines that were sent to the agent and not yet taken; at this number the flow waits. */
const MAX_LINES_IN_FLIGHT = 50;

/** The channel to the agent's process, as the process of an execution uses it. */
export class AgentChannel {
  private linesInFlight = 0;
  private waiters: (() => void)[] = [];
  private pictures = 0;
  /** The callbacks that get the link of a picture once the agent sends it, by picture number. */
  private readonly links = new Map<number, (link: string | undefined) => void>();

  constructor(onMessage: (message: ToChild) => void, onAgentGone: () => void) {
    process.on('message', (message) => {
      if (!isToChild(message)) return;
      if (message.kind === 'taken') this.lineTaken();
      else if (message.kind === 'picture') this.linkReceived(message.id, message.link);
      else onMessage(message);
    });
    process.once('disconnect', onAgentGone);
  }

  /** Calls `sent` once the message is written, or at once when the agent is gone. */
  send(message: FromChild, sent: () => void = () => undefined): void {
    if (process.connected) process.send?.(message, undefined, undefined, sent);
    else sent();
  }

  /**
   * Sends a log line. Resolves when the next line may be sent: the agent takes lines only as fast as its connection to
   * the router delivers them.
   */
  async sendLine(line: ReportLine): Promise<void> {
    this.send({ kind: 'line', line });
    this.linesInFlight += 1;
    while (this.linesInFlight >= MAX_LINES_IN_FLIGHT) {
      await new Promise<void>((resolve) => {
        this.waiters.push(resolve);
      });
    }
  }

  /** Resolves to the link of the picture; undefined when the agent does not keep it. */
  keepPicture(picture: Picture): Promise<string | undefined> {
    const id = ++this.pictures;
    this.send({ kind: 'picture', id, picture });
    return new Promise((resolve) => {
      this.links.set(id, resolve);
    });
  }

  private linkReceived(id: number, link: string | undefined): void {
    this.links.get(id)?.(link);
    this.links.delete(id);
  }

  private lineTaken(): void {
    this.linesInFlight -= 1;
    for (const wake of this.waiters.splice(0)) wake();
  }
}
