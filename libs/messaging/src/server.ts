import type { NatsConnection, Subscription, SubscriptionOptions } from '@nats-io/transport-node';
import { ServerNats, type CustomStrategy, type MessageHandler, type NatsContext } from '@nestjs/microservices';
import { connectionOptions } from './connection';

/** What is under way when a service stops may take so long to be answered; those who still wait then ask again. */
const ENDING_MILLISECONDS = 2_000;

/** For `app.connectMicroservice`: the answering side of the contracts. */
export function natsMicroservice(url: string, name: string): CustomStrategy {
  return { strategy: new ContractServer({ ...connectionOptions(url, name), gracefulShutdown: false }) };
}

type Respond = (response: unknown) => unknown;

class ContractServer extends ServerNats {
  private readonly taking: Subscription[] = [];
  /** Requests without an answer so far. */
  private readonly asked = new Set<Respond>();
  private answered: () => void = () => {};

  /** Subjects are plain names. Nest would try to parse each as JSON for every message, and throw and catch every time. */
  override getHandlerByPattern(subject: string): MessageHandler | null {
    return this.messageHandlers.get(subject) ?? null;
  }

  /** Done once the server knows of every subscription: who is told that we are ready may ask at once. */
  override async listen(callback: (error?: unknown) => void): Promise<void> {
    const failure = await new Promise<unknown>((resolve) => void super.listen(resolve));
    if (failure) return callback(failure);
    const known = this.unwrap<NatsConnection>().flush();
    const fault = await known.catch((error: unknown) => error);
    callback(fault);
  }

  override bindEvents(client: NatsConnection): void {
    super.bindEvents({
      subscribe: (subject: string, options: SubscriptionOptions) => {
        const subscription = client.subscribe(subject, options);
        this.taking.push(subscription);
        return subscription;
      },
    });
  }

  override getPublisher(message: unknown, id: string, context: NatsContext): Respond {
    const publish: Respond = super.getPublisher(message, id, context);
    const respond = (response: unknown) => {
      if (Object(response).isDisposed) {
        this.asked.delete(respond);
        this.answered();
      }
      return publish(response);
    };
    this.asked.add(respond);
    return respond;
  }

  /** Takes no more, and answers what it has taken: whoever got no answer would wait for its time limit. */
  override async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ENDING_MILLISECONDS);
    });
    await Promise.race([this.end().catch(() => undefined), late]);
    clearTimeout(timer);
    await super.close();
  }

  private async end(): Promise<void> {
    await Promise.all(this.taking.splice(0).map((subscription) => subscription.drain()));
    while (this.asked.size > 0) await new Promise<void>((resolve) => (this.answered = resolve));
  }
}
