import type { NatsConnection, Subscription, SubscriptionOptions } from '@nats-io/transport-node';
import { ServerNats, type CustomStrategy, type MessageHandler, type NatsContext } from '@nestjs/microservices';
import { connectionOptions } from './connection';

/** Grace period for requests in flight when a service stops; afterwards their callers get UNAVAILABLE and retry. */
const DRAIN_MS = 2_000;

/** The server side of the message contracts, for `app.connectMicroservice`. `name` appears in the server's list of clients. */
export function natsMicroservice(url: string, name: string): CustomStrategy {
  return { strategy: new ContractServer({ ...connectionOptions(url, name), gracefulShutdown: false }) };
}

type SendReply = (response: unknown) => unknown;

class ContractServer extends ServerNats {
  private readonly contractSubscriptions: Subscription[] = [];
  /** Requests in flight, each as the function that sends its replies. */
  private readonly inFlight = new Set<SendReply>();
  private onLastReply: () => void = () => {};

  /** Subjects are plain names. Nest would try to parse each as JSON, and throw and catch an error, for every message. */
  override getHandlerByPattern(subject: string): MessageHandler | null {
    return this.messageHandlers.get(subject) ?? null;
  }

  /** Calls back once NATS has registered every subscription, so that requests are answered from then on. */
  override async listen(callback: (error?: unknown) => void): Promise<void> {
    const failure = await new Promise<unknown>((resolve) => void super.listen(resolve));
    if (failure) return callback(failure);
    const registered = this.unwrap<NatsConnection>().flush();
    const fault = await registered.catch((error: unknown) => error);
    callback(fault);
  }

  override bindEvents(client: NatsConnection): void {
    super.bindEvents({
      subscribe: (subject: string, options: SubscriptionOptions) => {
        const subscription = client.subscribe(subject, options);
        this.contractSubscriptions.push(subscription);
        return subscription;
      },
    });
  }

  override getPublisher(message: unknown, id: string, context: NatsContext): SendReply {
    const publish: SendReply = super.getPublisher(message, id, context);
    const sendReply = (response: unknown) => {
      if (Object(response).isDisposed) {
        this.inFlight.delete(sendReply);
        this.onLastReply();
      }
      return publish(response);
    };
    this.inFlight.add(sendReply);
    return sendReply;
  }

  /** Stops accepting requests and waits until those in flight are answered: their callers would wait until their time limit. */
  override async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DRAIN_MS);
    });
    await Promise.race([this.drain().catch(() => undefined), late]);
    clearTimeout(timer);
    await super.close();
  }

  private async drain(): Promise<void> {
    await Promise.all(this.contractSubscriptions.splice(0).map((subscription) => subscription.drain()));
    while (this.inFlight.size > 0) await new Promise<void>((resolve) => (this.onLastReply = resolve));
  }
}
