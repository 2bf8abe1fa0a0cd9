import { guardedFetch } from '@batuta/guarded-fetch';
import { retryAfterSeconds } from '@batuta/network';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { EventAddresses } from '../event-subscriptions/event-address';
import { signedHeaders, type EventMessage } from './event-message';
import { reasonOf } from './send-failure';

export interface SendResult {
  /** HTTP status of the answer; null when there was none. */
  status: number | null;
  /** Why the attempt failed; null after a status from 200 to 299. */
  error: string | null;
  /** The pause for which the answer asked by `Retry-After`; 0 without one. */
  retryAfterMs: number;
  /** Of the whole attempt, from the resolution of the name until the answer was read or its connection closed. */
  durationMs: number;
}

/** The body of an answer is read up to this size and dropped, so that the connection can be used again; a larger one closes the connection. */
const MAX_ANSWER_BYTES = 1_024;
/** Length of the column that stores the error. */
const MAX_ERROR_CHARACTERS = 200;

/** Sends messages to the addresses of subscriptions. No address is trusted unless an operator has listed its host. */
@Injectable()
export class EventSender {
  private readonly fetch: typeof fetch;

  constructor(
    private readonly addresses: EventAddresses,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'EVENT_TIMEOUT_MS'>,
  ) {
    this.fetch = guardedFetch(addresses.rules, undefined, addresses.resolve);
  }

  /** Makes one attempt. Never rejects. */
  async send(url: string, message: EventMessage, keys: Buffer[]): Promise<SendResult> {
    const began = performance.now();
    const result = await this.post(url, message, keys);
    const error = result.error?.slice(0, MAX_ERROR_CHARACTERS) ?? null;
    return { ...result, error, durationMs: Math.round(performance.now() - began) };
  }

  private async post(url: string, message: EventMessage, keys: Buffer[]): Promise<Omit<SendResult, 'durationMs'>> {
    // The operator may have changed the lists since the subscription was made.
    const problem = this.addresses.problemOf(url);
    if (problem !== undefined) return { status: null, error: problem, retryAfterMs: 0 };
    const signal = AbortSignal.timeout(this.config.EVENT_TIMEOUT_MS);
    try {
      const headers = signedHeaders(message, keys, new Date());
      // A redirect would lead to an address that nobody has subscribed.
      const answer = await this.fetch(url, { method: 'POST', headers, body: message.body, redirect: 'manual', signal });
      await dropBody(answer.body);
      const { status } = answer;
      const retryAfterMs = 1_000 * retryAfterSeconds(answer.headers.get('retry-after'), Date.now());
      return { status, error: answer.ok ? null : errorOfStatus(status), retryAfterMs };
    } catch (error) {
      return {
        status: null,
        error: signal.aborted ? `no answer within ${this.config.EVENT_TIMEOUT_MS} ms` : reasonOf(error),
        retryAfterMs: 0,
      };
    }
  }
}

function errorOfStatus(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return `the address answered ${status}${isRedirect ? '; redirects are not followed' : ''}`;
}

async function dropBody(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (let bytes = 0; bytes <= MAX_ANSWER_BYTES;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
    }
    await reader.cancel();
  } catch {
    // An error while the body is read is ignored: only the status counts, and it has arrived.
  }
}
