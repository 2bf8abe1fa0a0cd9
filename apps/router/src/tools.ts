import type { Rpc } from '@batuta/messaging';
import type { Logger } from '@batuta/observability';
import type { RouterFigures } from './figures';

/** What nearly every part of the router needs. */
export interface Tools {
  rpc: Rpc;
  logger: Logger;
  figures: RouterFigures;
}
