import { ServerNats, type CustomStrategy, type MessageHandler } from '@nestjs/microservices';
import { connectionOptions } from './connection';

/** For `app.connectMicroservice`: the answering side of the contracts. */
export function natsMicroservice(url: string, name: string): CustomStrategy {
  return { strategy: new ContractServer({ ...connectionOptions(url, name), gracefulShutdown: false }) };
}

class ContractServer extends ServerNats {
  /** Subjects are plain names. Nest would try to parse each as JSON for every message, and throw and catch every time. */
  override getHandlerByPattern(subject: string): MessageHandler | null {
    return this.messageHandlers.get(subject) ?? null;
  }
}
