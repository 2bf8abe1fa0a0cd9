import { StoppedError } from '../../step-error';
import type { HostAccess } from '../../network/host-access';
import { DeliveryAttempt, rejectionOf, type DeliveryOutcome, type EncodedMessage } from './delivery-attempt';
import type { MailServer } from './mail-server';

export interface SendingConditions {
  signal: AbortSignal;
  timeoutSeconds: number;
  hostAccess: HostAccess;
}

/**
 * Makes one attempt to deliver the message over a new connection. It ends within the time limit in whatever phase the
 * server stalls, and at once when `signal` aborts (StoppedError). Throws TransientError where a retry may help, else StepError.
 */
export async function sendOnce(
  server: MailServer,
  message: EncodedMessage,
  { signal, timeoutSeconds, hostAccess }: SendingConditions,
): Promise<DeliveryOutcome> {
  const attempt = new DeliveryAttempt(server, message, hostAccess);
  const deadline = AbortSignal.timeout(timeoutSeconds * 1000);
  const ended = AbortSignal.any([signal, deadline]);
  let abort = (): void => undefined;
  const aborted = rejectionOf((reject) => {
    abort = () => reject(new Error('aborted'));
  });
  ended.addEventListener('abort', abort, { once: true });
  if (ended.aborted) abort();
  try {
    return await Promise.race([attempt.deliver(timeoutSeconds * 1000), aborted]);
  } catch (error) {
    if (signal.aborted) throw new StoppedError();
    throw deadline.aborted ? attempt.failure(`did not answer within ${timeoutSeconds} s`) : attempt.failureOf(error);
  } finally {
    ended.removeEventListener('abort', abort);
    attempt.close();
  }
}
