/** `fault`: the agent cannot work. `warning`: it works, but something is missing, unsafe, almost used up or could not be checked. */
export type FindingState = 'ok' | 'warning' | 'fault';

/** The result of one check. */
export interface Finding {
  check: string;
  state: FindingState;
  /** What the check found, as text for the user. */
  found: string;
  /** What the user should do; present only in a warning or a fault. */
  advice?: string;
}

const MARKS: Record<FindingState, string> = { ok: 'ok', warning: 'warning', fault: 'FAULT' };

/** A table for people: a line for each finding, and below it a line with the advice, if there is any. */
export function tableOf(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(({ check, state, found, advice }) => {
    const line = `${MARKS[state].padEnd(8)} ${check.padEnd(width)}  ${found}`;
    return advice === undefined ? line : `${line}\n${' '.repeat(width + 9)}  → ${advice}`;
  });
  const faults = findings.filter(({ state }) => state === 'fault').length;
  const end = faults === 0 ? 'The agent can work.' : `${faults} of ${findings.length} checks found a fault.`;
  return `${lines.join('\n')}\n\n${end}\n`;
}
