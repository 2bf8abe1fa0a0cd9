import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

interface Waiting {
  settle(reply: Msg | undefined): void;
  timer: NodeJS.Timeout;
}

const NO_RESPONDERS = 503;

/**
 * The replies to all requests of a connection, over one subscription. The client's own `request` does the same, but
 * makes an error with its stack trace for each, also when all goes well: that was a tenth of the gateway's time.
 */
export class Inbox {
  private readonly prefix = `${createInbox()}.`;
  private readonly waiting = new Map<string, Waiting>();
  private asked = 0;

  constructor(private readonly connection: NatsConnection) {
    connection.subscribe(`${this.prefix}*`, {
      callback: (error, reply) => {
        if (!error) this.receive(reply);
      },
    });
  }

  /** undefined when nobody answers in `timeout` milliseconds, or nobody is there to. */
  ask(
    subject: string,
    payload: string,
    { timeout, headers }: { timeout: number; headers?: MsgHdrs },
  ): Promise<Msg | undefined> {
    this.asked += 1;
    const token = String(this.asked);
    return new Promise((resolve, reject) => {
      try {
        this.connection.publish(subject, payload, { reply: this.prefix + token, headers });
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      const timer = setTimeout(() => this.settle(token, undefined), timeout);
      this.waiting.set(token, { settle: resolve, timer });
    });
  }

  /** Whoever still waits gets no answer. */
  close(): void {
    for (const token of this.waiting.keys()) this.settle(token, undefined);
  }

  private receive(reply: Msg): void {
    const nobody = reply.data.length === 0 && reply.headers?.code === NO_RESPONDERS;
    this.settle(reply.subject.slice(this.prefix.length), nobody ? undefined : reply);
  }

  private settle(token: string, reply: Msg | undefined): void {
    const waiting = this.waiting.get(token);
    if (!waiting) return;
    this.waiting.delete(token);
    clearTimeout(waiting.timer);
    waiting.settle(reply);
  }
}
