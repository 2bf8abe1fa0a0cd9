import { MAX_RESPONSE_BYTES } from '@batuta/agent-protocol';
import { HIDDEN_JSON, Mask, redactJson } from '@batuta/masking';
import { isJson } from './validate-answer';

/** The secrets of an instance that the service knows. */
export interface AnswerSecrets {
  /** Undefined = the values are too many or cannot be read, so that the service cannot search for them. */
  values: unknown[] | undefined;
  /** The flow has sensitive rows, whose values only the agent knows. */
  hasSensitiveRows: boolean;
}

/**
 * The body of a valid answer as it is kept and shown (interpretation 48): the masked copy of the agent, in which the service
 * masks the secrets that it knows too, because the agent runs on somebody else's machine. `masked` = the copy; null = the agent
 * found nothing to hide; undefined = the agent is of a release that makes no copy.
 */
export function shownBody(body: string, masked: unknown, { values, hasSensitiveRows }: AnswerSecrets): string {
  const knowsAll = values !== undefined && !hasSensitiveRows;
  if (masked === undefined && !knowsAll) return HIDDEN_JSON;
  const copy = masked === undefined || masked === null ? body : masked;
  if (typeof copy !== 'string' || Buffer.byteLength(copy) > MAX_RESPONSE_BYTES || !isJson(copy)) return HIDDEN_JSON;
  const mask = new Mask();
  for (const value of values ?? []) mask.hide(value, 'Secreto');
  return redactJson(mask, copy);
}
