import { execution, type HeldInstance } from '@batuta/contracts';
import { keepAsking } from '../keep-asking';
import type { Tools } from '../tools';
import { UnderWay } from '../under-way';

/** Execution's own sweep finds a forgotten claim after some seconds; longer trying would gain nothing. */
const TRYING_MS = 10_000;

/** Gives instances back that were claimed but not granted. Best effort: what is not released, execution sweeps. */
export class Releases {
  private readonly underWay = new UnderWay();

  constructor(private readonly tools: Tools) {}

  release(sessionID: string, instances: readonly HeldInstance[]): void {
    if (instances.length === 0) return;
    this.underWay.add(this.ask(sessionID, instances));
  }

  /** Once all that were begun are done or given up. */
  settled(): Promise<void> {
    return this.underWay.settled();
  }

  private async ask(sessionID: string, instances: readonly HeldInstance[]): Promise<void> {
    const { rpc, logger, figures } = this.tools;
    const request = { sessionID, instances: instances.map(({ instanceID, fence }) => ({ instanceID, fence })) };
    try {
      const ask = () => rpc.call(execution.release, request);
      await keepAsking(ask, AbortSignal.timeout(TRYING_MS), () => figures.retries.inc({ call: 'release' }));
      logger.info(request, 'instances released');
    } catch (error) {
      logger.error({ err: error, ...request }, 'instances could not be released');
    }
  }
}
