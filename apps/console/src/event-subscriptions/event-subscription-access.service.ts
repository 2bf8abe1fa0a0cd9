import { eventSubscription, type EventSubscription, type EventTestResult } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { notFound } from '../http/not-found';
import { Process } from '../registry';

/** Time limit of the request that sends a test event: longer than the webhook service waits for the answer of the address. */
const TEST_EVENT_TIMEOUT_MS = 35_000;

/**
 * Checks requests about event subscriptions against the registry, which the webhook service does not have, and passes them on
 * to it.
 */
@Injectable()
export class EventSubscriptionAccessService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
  ) {}

  /** Throws NOT_FOUND, also for a subscription of another company. */
  async find(companyID: string, id: string): Promise<EventSubscription> {
    const { subscriptions } = await this.rpc.call(eventSubscription.list, { companyID });
    const found = subscriptions.find((one) => one.id === id);
    if (!found) throw notFound('event subscription');
    return found;
  }

  /**
   * Throws BAD_REQUEST for a process that is not the company's. Accepts null, which means every process of the company, and undefined, which a
   * change has when it leaves the process as it is.
   */
  async requireOwnProcess(companyID: string, processID: string | null | undefined): Promise<void> {
    if (processID === null || processID === undefined) return;
    const isOwn = await this.store.repository(Process).existsBy({ id: processID, companyID });
    if (!isOwn) throw new ApiError('BAD_REQUEST', 'processID: the company has no such process');
  }

  /** Sends one test event and returns how the address answered; a refusing address is a result and not an error. */
  sendTestEvent(companyID: string, id: string): Promise<EventTestResult> {
    return this.rpc.call(eventSubscription.test, { companyID, id }, { timeout: TEST_EVENT_TIMEOUT_MS });
  }
}
