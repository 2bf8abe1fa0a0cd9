import type { ReportFrame } from '@batuta/agent-protocol';
import type { TrackedInstance } from '../sessions/tracked-instance';

/** The report that ends an instance in place of an invalid report of its agent. `problem` names the wrong field and no value. */
export function endOfRefused(
  { instanceID, fence, desired }: Pick<TrackedInstance, 'instanceID' | 'fence' | 'desired'>,
  seq: number,
  problem: string,
): ReportFrame {
  const message = `The router refused a report of the agent, so the result of the execution is not known: ${problem}`;
  return {
    type: 'report',
    instanceID,
    fence,
    seq,
    lines: [{ timestamp: new Date().toISOString(), severity: 'ERROR', message, stepID: '', evidence: null }],
    end: { outcome: desired === 'stop' ? 'STOPPED' : 'CRASHED', errorStep: null, errorMessage: message },
  };
}
