import { Transport, type NatsOptions } from '@nestjs/microservices';
import { connectionOptions } from './connection';

export { Handles, Hears } from './handles';
export { Rpc } from './rpc';

/** For `app.connectMicroservice`: the answering side of the contracts. */
export function natsMicroservice(url: string, name: string): NatsOptions {
  return { transport: Transport.NATS, options: { ...connectionOptions(url, name), gracefulShutdown: false } };
}
