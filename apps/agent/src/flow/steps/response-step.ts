import { MAX_RESPONSE_BYTES, type ReportResponse } from '@batuta/agent-protocol';
import { HIDDEN_JSON } from '@batuta/masking';
import { renderResponseBody, type RenderedBody, type Variables, type WebhookResponseStep } from '@batuta/flow';
import type { ExecutionScope } from '../scope/execution-scope';
import type { Journal } from '../journal';

const DEFAULT_CODE = 200;

/**
 * The Webhook Response steps of one execution (contract 4.17, interpretation 30): the first answer that is not too large
 * counts. It is sent as it is even if it is not JSON, because the service validates it, and beside it a masked copy. The log shows an answer only when no caller
 * waits, and masked.
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
    const rendered = renderBody(step, this.scope.fieldView());
    const code = step.code ?? DEFAULT_CODE;
    const body = textOf(rendered);
    const bytes = Buffer.byteLength(body);
    if (bytes > MAX_RESPONSE_BYTES) {
      return this.journal.warning(`sent no response: its body is above ${MAX_RESPONSE_BYTES} bytes`);
    }
    if (this.isAnswered) return this.logUnsent('an earlier step was the first', code, step);
    this.isAnswered = true;
    // Before any log line: a full report queue must not delay the answer.
    if (this.awaited) this.send({ code, body, masked: this.maskedBody(step, rendered) });
    if ('problem' in rendered) await this.journal.warning(`${rendered.problem}: a caller gets 502 INVALID_RESPONSE`);
    if (!this.awaited) return this.logUnsent('nobody waits', code, step);
    await this.journal.info(`answered the caller with ${code} and ${bytes} bytes`);
  }

  /**
   * The body as it may be kept and shown; null when it contains nothing to hide (interpretation 48). Rendered again with the
   * masked view, which also hides values too short to be found in a text.
   */
  private maskedBody(step: WebhookResponseStep, rendered: RenderedBody): string | null {
    if (!('json' in rendered)) return null;
    const shown = renderBody(step, this.scope.maskedView());
    const masked = 'json' in shown ? this.scope.redactJson(shown.json) : HIDDEN_JSON;
    return masked === rendered.json ? null : masked;
  }

  private logUnsent(because: string, code: number, step: WebhookResponseStep): Promise<void> {
    const message = `sent no response, because ${because}: ${code}`;
    if (this.awaited) return this.journal.info(message);
    // Rendered again with the masked view, which also hides values too short to be found in a text.
    return this.journal.longInfo(`${message} `, textOf(renderBody(step, this.scope.maskedView())));
  }
}

function renderBody({ body }: WebhookResponseStep, variables: Variables): RenderedBody {
  return renderResponseBody(body, variables, MAX_RESPONSE_BYTES);
}

function textOf(rendered: RenderedBody): string {
  return 'json' in rendered ? rendered.json : rendered.text;
}
