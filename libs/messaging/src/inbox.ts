import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

/** Takes a reply, or undefined when none came; says whether another one is to follow. */
type Take = (reply: Msg | undefined) => boolean;

interface Waiting {
  take: Take;
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

  /** `take` gets undefined when the last reply has not come in `timeout` milliseconds, or nobody is there to answer. */
  ask(
    subject: string,
    payload: string,
    { timeout, headers, take }: { timeout: number; headers?: MsgHdrs; take: Take },
  ): void {
    this.asked += 1;
    const token = String(this.asked);
    this.connection.publish(subject, payload, { reply: this.prefix + token, headers });
    const timer = setTimeout(() => this.give(token, undefined), timeout);
    this.waiting.set(token, { take, timer });
  }

  /** Whoever still waits gets no answer. */
  close(): void {
    for (const token of this.waiting.keys()) this.give(token, undefined);
  }

  private receive(reply: Msg): void {
    const nobody = reply.data.length === 0 && reply.headers?.code === NO_RESPONDERS;
    this.give(reply.subject.slice(this.prefix.length), nobody ? undefined : reply);
  }

  private give(token: string, reply: Msg | undefined): void {
    const waiting = this.waiting.get(token);
    if (!waiting || waiting.take(reply)) return;
    this.waiting.delete(token);
    clearTimeout(waiting.timer);
  }
}
