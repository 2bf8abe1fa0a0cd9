import type { AwaitedState, StartReply } from '@batuta/contracts';

/** What the caller of a webhook URL is answered. */
export interface HookAnswer {
  status: number;
  /** JSON text, sent as it is. */
  body: string;
  instanceID?: string;
  /** The Idempotency-Key came with another body than the first time (interpretation 20). */
  mismatch?: true;
}

/** Of an accepted start that nobody waits for: mode `Imediata`, a queue, no place to wait, or a replay (interpretation 21). */
export function acceptedAnswer({ instanceID, status, replayed, mismatch }: StartReply): HookAnswer {
  const body = JSON.stringify(replayed ? { instanceID, replayed } : { instanceID, status });
  return { status: status === 'started' ? 200 : 202, body, instanceID, mismatch };
}

/**
 * The table of contract 4.17 for a caller that may wait on; undefined while there is nothing to tell. A `mute` instance tells
 * nothing before the deadline, however it has ended.
 */
export function awaitedAnswer(state: AwaitedState): HookAnswer | undefined {
  return state.mute ? undefined : knownAnswer(state);
}

/** The same for a caller whose wait is over: `unknown` is on its way out of the queue, so it counts as queued. */
export function lateAnswer(state: AwaitedState): HookAnswer {
  return knownAnswer(state) ?? wordAnswer(202, state, state.status === 'running' ? 'running' : 'queued');
}

// What the process answered comes first: it may go on, and end in any way, afterwards.
function knownAnswer(state: AwaitedState): HookAnswer | undefined {
  const { instanceID, outcome, answer } = state;
  if (answer?.valid) return { status: answer.code, body: answer.body, instanceID };
  if (answer) return wordAnswer(502, state, 'INVALID_RESPONSE');
  return outcome ? wordAnswer(outcome === 'FINALIZED' ? 202 : 500, state, outcome) : undefined;
}

function wordAnswer(status: number, { instanceID }: AwaitedState, word: string): HookAnswer {
  return { status, body: JSON.stringify({ instanceID, status: word }), instanceID };
}
