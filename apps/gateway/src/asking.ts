import type { RpcSubject } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import type { Rpc } from '@batuta/messaging';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock';

/** A replica that dies with the request leaves silence: ask the next one well before the deadline. */
const ATTEMPT_MILLISECONDS = 1_500;
const LAST_WORD_MILLISECONDS = 1_000;
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 250;

/** A request that may be sent twice: what it asks for has an id, is done once, and not past the deadline (epoch ms). */
export interface Repeatable {
  deadline: number;
  /** An earlier attempt got no answer. */
  resent?: boolean;
}

/** Requests to a service of which any replica may die at any moment. */
export class Asking {
  constructor(
    private readonly rpc: Rpc,
    private readonly clock: Clock,
    /** From a request to its deadline. */
    private readonly milliseconds: number,
  ) {}

  deadline(): number {
    return this.clock.now() + this.milliseconds;
  }

  /**
   * Asks again while nobody answers. The last question, past the deadline, only learns whether an earlier one was done.
   * Throws what the service refused with; undefined when nobody answered, or the bus is away.
   */
  async untilAnswered<Request extends Repeatable, Reply>(
    subject: RpcSubject<Request, Reply>,
    request: Request,
  ): Promise<Reply | undefined> {
    if (!this.rpc.connected) return undefined;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const left = request.deadline - this.clock.now();
      const timeout = left > 0 ? Math.min(left, ATTEMPT_MILLISECONDS) : LAST_WORD_MILLISECONDS;
      const reply = await this.rpc.call(subject, request, { timeout }).catch(undefinedWhenAway);
      if (reply || left <= 0) return reply;
      await sleep(pause);
      request.resent = true;
    }
  }
}

function undefinedWhenAway(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'UNAVAILABLE') return undefined;
  throw error;
}
