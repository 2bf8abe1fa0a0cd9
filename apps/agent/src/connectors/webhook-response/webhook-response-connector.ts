import { MAX_RESPONSE_BYTES } from '@batuta/agent-protocol';
import { renderResponseBody, type RenderedBody, type ReadableVariables, type WebhookResponseStep } from '@batuta/flow';
import { MASK_JSON } from '@batuta/masking';
import type { ExecutionScope } from '../../execution/scope/execution-scope';
import type { Connector, StepContext } from '../connector';

const DEFAULT_CODE = 200;

/**
 * Answers the waiting caller (contract 4.17, interpretation 30). The first answer of an execution counts; an answer
 * that is too large is not sent and does not count. The text is sent unchanged even if it is not JSON, because the
 * service validates it; a masked copy is sent beside it. The log shows an answer, masked, only when no caller waits.
 */
export const webhookResponseConnector: Connector<'webhookResponse'> = {
  async run(step, execution) {
    const { scope, state, journal, effects, work } = execution;
    const rendered = renderBody(step, scope.fieldView());
    const code = step.code ?? DEFAULT_CODE;
    const body = textOf(rendered);
    const bytes = Buffer.byteLength(body);
    if (bytes > MAX_RESPONSE_BYTES) {
      return journal.warning(`sent no response: its body is above ${MAX_RESPONSE_BYTES} bytes`);
    }
    if (state.isAnswered) return logUnsent('an earlier step was the first', code, step, execution);
    state.isAnswered = true;
    // The answer is sent before any log line, because a full report queue must not delay it.
    if (work.awaited) effects.answer({ code, body, masked: maskedBody(step, rendered, scope) });
    if ('problem' in rendered) await journal.warning(`${rendered.problem}: a caller gets 502 INVALID_RESPONSE`);
    if (!work.awaited) return logUnsent('nobody waits', code, step, execution);
    await journal.info(`answered the caller with ${code} and ${bytes} bytes`);
  },
};

/**
 * The body as it may be stored and shown; null when it contains nothing to hide (interpretation 48). The body is
 * rendered again with the masked view, which also hides values that are too short to be masked in a text.
 */
function maskedBody(step: WebhookResponseStep, rendered: RenderedBody, scope: ExecutionScope): string | null {
  if (!('json' in rendered)) return null;
  const shown = renderBody(step, scope.maskedView());
  const masked = 'json' in shown ? scope.redactJson(shown.json) : MASK_JSON;
  return masked === rendered.json ? null : masked;
}

function logUnsent(
  because: string,
  code: number,
  step: WebhookResponseStep,
  { scope, journal, work }: StepContext,
): Promise<void> {
  const message = `sent no response, because ${because}: ${code}`;
  if (work.awaited) return journal.info(message);
  // The masked view also hides values that are too short to be masked in a text.
  return journal.longInfo(`${message} `, textOf(renderBody(step, scope.maskedView())));
}

function renderBody({ body }: WebhookResponseStep, variables: ReadableVariables): RenderedBody {
  return renderResponseBody(body, variables, MAX_RESPONSE_BYTES);
}

function textOf(rendered: RenderedBody): string {
  return 'json' in rendered ? rendered.json : rendered.text;
}
