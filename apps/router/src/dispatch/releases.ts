import { execution, type HeldInstance } from '@batuta/contracts';
import { keepAsking } from '../keep-asking';
import type { Tools } from '../tools';

/** Execution's own sweep finds a forgotten claim after some seconds; longer trying would gain nothing. */
const TRYING_MS = 10_000;

/** Gives instances back that were claimed but not granted. Best effort: what is not released, execution sweeps. */
export class Releases {
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly tools: Tools) {}

  release(sessionID: string, instances: readonly HeldInstance[]): void {
    if (instances.length === 0) return;
    const releasing = this.ask(sessionID, instances).finally(() => this.underWay.delete(releasing));
    this.underWay.add(releasing);
  }

  /** Once all that were begun are done or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
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
