import { secondsText } from '../chaos/invariants.mjs';

/** The measured values of an upgrade as text for people. */
export function reportText({
  release,
  phases,
  tookMs,
  starts,
  calls,
  failures,
  runs,
  crashed,
  firings,
  ledger,
  agents,
  acceptedByReplica,
  broken,
}) {
  const failed = Object.entries(failures).map(([name, times]) => `${times} × ${name}`);
  return [
    `From ${release} to this build and back in ${secondsText(tookMs)}.`,
    '',
    `Step                                                        took   calls   slowest   failed calls`,
    ...phases.map(rowOf),
    '',
    `${calls} calls, failed: ${failed.join(' · ') || 'none'}.`,
    `${starts.accepted} accepted starts, ${starts.stored} stored instances, ${runs} ran, ${crashed} crashed; ${firings.count} firings of the schedule.`,
    `Balance ${ledger.balance}, ledger ${ledger.sum}, due ${ledger.due}.`,
    `Instances by agent: ${Object.entries(agents)
      .map(([name, n]) => `${name} ${n}`)
      .join(', ')}.`,
    `Starts by replica while both releases ran: ${acceptedByReplica.map(({ name, accepted }) => `${name} ${accepted}`).join(', ')}.`,
    '',
    ...(broken.length === 0
      ? ['Nothing failed, nothing lost, nothing twice.']
      : broken.map((fault) => `BROKEN: ${fault}`)),
  ].join('\n');
}

function rowOf({ name, tookMs, calls, slowestMs, answers }) {
  const failures = Object.entries(answers).map(([answer, times]) => `${times} × ${answer}`);
  const numbers = secondsText(tookMs).padStart(10) + String(calls).padStart(8) + secondsText(slowestMs).padStart(10);
  return `${name.padEnd(54)}${numbers}   ${failures.join(' · ') || 'none'}`;
}
