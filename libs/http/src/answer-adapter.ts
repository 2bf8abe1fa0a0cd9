import { ExpressAdapter } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { isReadRequest, MAX_SMALL_ANSWER_BYTES, type LargeAnswers } from './large-answers';

/** Maximum bytes in UTF-8 of one UTF-16 unit of a text. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Writes the JSON of every answer to a known caller, and admits a large one by its measured bytes before anything of it is sent. `tenantOf`
 * returns undefined for a request without a known caller, whose answer is small and not counted.
 *
 * It is an adapter and no interceptor, because the observables that Nest makes for an interceptor took a third of the gateway's processor time
 * for a start.
 */
export class AnswerAdapter extends ExpressAdapter {
  constructor(
    private readonly answers: LargeAnswers,
    private readonly tenantOf: (request: Request) => string | undefined,
  ) {
    super();
  }

  /** Nest calls it with what a route returns. Throws as `LargeAnswers.admit` does. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const tenant = this.tenantOf(response.req);
    return super.reply(response, tenant === undefined ? body : this.measured(body, tenant, response), statusCode);
  }

  /** The JSON text of the body. A text, and an empty body, is returned unchanged. */
  private measured(body: unknown, tenant: string, response: Response): unknown {
    const isObject = typeof body === 'object' && body !== null;
    const text = isObject ? JSON.stringify(body) : body;
    if (typeof text !== 'string') return body;
    if (isObject && !response.hasHeader('Content-Type')) {
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
    }
    const isSmall = MAX_BYTES_PER_UNIT * text.length <= MAX_SMALL_ANSWER_BYTES;
    this.admit(tenant, response, isSmall ? text.length : Buffer.byteLength(text));
    return text;
  }

  private admit(tenant: string, response: Response, bytes: number): void {
    try {
      this.answers.admit(tenant, response, bytes);
    } catch (refusal) {
      // The change was made, and a refusal would tell the client otherwise. A lost connection tells it nothing about the change.
      if (!isReadRequest(response.req)) response.destroy();
      throw refusal;
    }
  }
}
