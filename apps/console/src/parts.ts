import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { Metrics, type Logger } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import type { ConsoleConfig } from './config';

export const CONFIG = Symbol('CONFIG');

/** What the console is built from. */
export interface ConsoleParts {
  config: ConsoleConfig;
  store: Store;
  rpc: Rpc;
  keyRing: KeyRing;
  metrics: Metrics;
  logger: Logger;
}
