import { MAX_RESPONSE_BYTES } from '@batuta/agent-protocol';
import { MASK_JSON, Mask, redactJson } from '@batuta/masking';
import { isJson } from '@batuta/flow';

/** The secrets of an instance that the service knows. */
export interface AnswerSecrets {
  /**
   * The secret values; undefined when they are too many or cannot be read, so that the service cannot search for them.
   */
  values: unknown[] | undefined;
  /**
   * Whether the agent may have secrets that `values` lacks: sensitive values, and vault values that were replaced or removed since the agent
   * got them.
   */
  agentMayHaveMore: boolean;
}

/**
 * The body of a valid answer as it is stored and shown (interpretation 48): the agent's masked copy, in which the
 * service also masks the secrets that it knows, because the agent runs on a customer's machine. `masked` is that copy;
 * null means that the agent found nothing to hide, undefined that an older agent makes no copy. The whole body is masked if
 * it has no copy and the service may not know all secrets, or if its copy is too long or no JSON text.
 */
export function shownBody(body: string, masked: unknown, { values, agentMayHaveMore }: AnswerSecrets): string {
  const knowsAll = values !== undefined && !agentMayHaveMore;
  if (masked === undefined && !knowsAll) return MASK_JSON;
  const copy = masked === undefined || masked === null ? body : masked;
  if (typeof copy !== 'string' || Buffer.byteLength(copy) > MAX_RESPONSE_BYTES || !isJson(copy)) return MASK_JSON;
  const mask = new Mask();
  for (const value of values ?? []) mask.hide(value, 'Secreto');
  return redactJson(mask, copy);
}
