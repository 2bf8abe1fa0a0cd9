import { MAX_RECOVERY_MS, secondsText } from './invariants.mjs';

/** The measured values of a chaos run as text for people. */
export function reportText({ options, phases, tookMs, starts, calls, failed, runs, crashed, cutOff, ledger, broken }) {
  return [
    `${options.callers} callers, ${phases.length} faults in ${secondsText(tookMs)}.`,
    '',
    `Fault                                             recovered   slowest call   failed calls`,
    ...phases.flatMap(({ name, fault, repaired }) => [
      rowOf(name, fault),
      ...(repaired ? [rowOf('  repaired', repaired)] : []),
    ]),
    '',
    `${calls} calls; ${failed.cutOff} on a killed socket, ${failed.refused} refused for the moment.`,
    `${starts.accepted} accepted starts, ${starts.refused} refused and ${starts.unknown} cut off without a repetition, ${starts.stored} stored instances.`,
    `${runs} instances ran, ${crashed} ended with their lost agent, ${cutOff} because it was cut off from the system that they call. Balance ${ledger.balance}, ledger ${ledger.sum}, due ${ledger.due}.`,
    '',
    ...(broken.length === 0
      ? [
          'Every promise is kept: nothing lost, nothing twice' +
            (options.short ? '.' : `, recovered within ${secondsText(MAX_RECOVERY_MS)} of each fault.`),
        ]
      : broken.map((fault) => `BROKEN: ${fault}`)),
  ].join('\n');
}

function rowOf(name, { recoveryMs, slowestMs, answers }) {
  const failures = Object.entries(answers).map(([answer, times]) => `${times} × ${answer}`);
  const times = secondsText(recoveryMs).padStart(10) + secondsText(slowestMs).padStart(15);
  return `${name.padEnd(49)}${times}   ${failures.join(' · ') || 'none'}`;
}
