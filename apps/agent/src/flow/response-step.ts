import { MAX_RESPONSE_BYTES, type ReportResponse } from '@batuta/contracts';
import { renderResponseBody, type RenderedBody, type Variables, type WebhookResponseStep } from '@batuta/flow';
import type { ExecutionScope } from './execution-scope';
import type { Journal } from './journal';

const DEFAULT_CODE = 200;

/**
 * The Webhook Response steps of one execution (contract 4.17, interpretation 30): the first that is not too large answers. The caller
 * gets the real text, also one that is no JSON, which the service judges; the log shows it only when nobody waits, masked.
 */
export class WebhookResponses {
  private isAnswered = false;

  constructor(
    private readonly scope: ExecutionScope,
    private readonly journal: Journal,
    private readonly awaited: boolean,
    private readonly send: (response: ReportResponse) => void,
  ) {}

  async respond(step: WebhookResponseStep): Promise<void> {
    const rendered = rendering(step, this.scope.fieldReading());
    const code = step.code ?? DEFAULT_CODE;
    const body = textOf(rendered);
    const bytes = Buffer.byteLength(body);
    if (bytes > MAX_RESPONSE_BYTES) {
      return this.journal.warning(`sent no response: its body is above ${MAX_RESPONSE_BYTES} bytes`);
    }
    if (this.isAnswered) return this.unsent('an earlier step was the first', code, step);
    this.isAnswered = true;
    // Before anything is told: a log that is full must not keep the caller waiting.
    if (this.awaited) this.send({ code, body });
    if ('problem' in rendered) await this.journal.warning(`${rendered.problem}: a caller gets 502 INVALID_RESPONSE`);
    if (!this.awaited) return this.unsent('nobody waits', code, step);
    await this.journal.info(`answered the caller with ${code} and ${bytes} bytes`);
  }

  private unsent(because: string, code: number, step: WebhookResponseStep): Promise<void> {
    const message = `sent no response, because ${because}: ${code}`;
    if (this.awaited) return this.journal.info(message);
    // Filled in anew, so that what is too short to be found in a text is hidden as well.
    return this.journal.long(`${message} `, textOf(rendering(step, this.scope.shownReading())));
  }
}

function rendering({ body }: WebhookResponseStep, variables: Variables): RenderedBody {
  return renderResponseBody(body, variables, MAX_RESPONSE_BYTES);
}

function textOf(rendered: RenderedBody): string {
  return 'json' in rendered ? rendered.json : rendered.text;
}
