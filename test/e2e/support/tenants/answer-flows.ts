import type { Flow, Step, WebhookResponseStep } from '@batuta/flow';

/** A flow that answers with the values of these Matrix variables: `{"total":1234.5,"customer":"…"}`. */
export function echoFlow(names: string[], more: { before?: Step; code?: WebhookResponseStep['code'] } = {}): Flow {
  const { before, code } = more;
  const body = `{ ${names.map((name) => `"${name}": {{matrix.${name}}}`).join(', ')} }`;
  const answer: Step = { name: 'Answer', type: 'webhookResponse', code, body };
  if (!before) return { start: 'Answer', steps: [answer] };
  return { start: before.name, steps: [{ ...before, routes: [{ to: 'Answer' }] }, answer] };
}

/** A flow whose answer is this text, unchanged. */
export function answeringFlow(body: string, code?: WebhookResponseStep['code']): Flow {
  return { start: 'Answer', steps: [{ name: 'Answer', type: 'webhookResponse', code, body }] };
}

/** A flow that waits and sends no answer. */
export function waitingFlow(seconds: number): Flow {
  return { start: 'Wait', steps: [{ name: 'Wait', type: 'wait', seconds }] };
}
