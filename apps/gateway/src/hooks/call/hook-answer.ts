import type { AwaitedState, StartReply } from '@batuta/contracts';

/** The response to the caller of a webhook URL. */
export interface HookAnswer {
  status: number;
  /** JSON text, sent without parsing it. */
  body: string;
  /** Sent as `X-Instance-Id`; undefined for a capture. */
  instanceID?: string;
  /** True when the Idempotency-Key was first used with another body (interpretation 20); undefined otherwise. */
  mismatch?: true;
}

/**
 * The response to an accepted start without the result of a wait: mode `Imediata`, too many waiting callers, a queued start, no permit, a replay,
 * or an answer for which the memory has no room (interpretations 21 and 55).
 */
export function acceptedAnswer({ instanceID, status, replayed, mismatch }: StartReply): HookAnswer {
  const body = JSON.stringify(replayed ? { instanceID, replayed } : { instanceID, status });
  return { status: status === 'started' ? 200 : 202, body, instanceID, mismatch };
}

/**
 * The response to a caller whose wait ended, also by its deadline, as in the table of contract 4.17. The status `unknown` means that an agent
 * has been offered the instance and does not run it yet, so it counts as queued.
 */
export function waitedAnswer(state: AwaitedState): HookAnswer {
  const { instanceID, outcome, answer } = state;
  // The answer of the process takes precedence over the outcome: an instance may answer, continue, and fail later.
  if (answer?.valid) return { status: answer.code, body: answer.body, instanceID };
  if (answer) return statusAnswer(502, instanceID, 'INVALID_RESPONSE');
  if (outcome) return statusAnswer(outcome === 'FINALIZED' ? 202 : 500, instanceID, outcome);
  return statusAnswer(202, instanceID, state.status === 'running' ? 'running' : 'queued');
}

function statusAnswer(code: number, instanceID: string, status: string): HookAnswer {
  return { status: code, body: JSON.stringify({ instanceID, status }), instanceID };
}
