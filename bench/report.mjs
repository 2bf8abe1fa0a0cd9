/** Share of the processors' time that other programs may use before a run without a warning. */
const MAX_QUIET_BUSY_SHARE = 0.1;

/** The results of a default run (`runBench`) as text. */
export function toText(results) {
  const { busy, machine, cells, ratios, agents, starting, answering, waiting, memory, rows, bars } = results;
  const { floor } = starting;
  return [
    `Machine: ${machine.cpus} × ${machine.model}, ${machine.gigabytes} GB, Node ${machine.node}; generator ${machine.generator}`,
    ...busyWarning(busy),
    '',
    'Accepted starts (in brackets: ratio to the floor)',
    ...table(
      ['connections', 'target', 'a second', 'p50 ms', 'p99 ms'],
      cells.map((cell) => throughputRow(cell, ratios)),
    ),
    '',
    `With an agent that runs them: ${agents.perSecond.toFixed(0)} starts and ${agents.finished.toFixed(0)} ended runs a second at 50 connections`,
    '',
    `Start to running, ${starting.count} single starts, idle system (in brackets: ratio to as many single calls of the floor)`,
    ...table(
      ['from', 'p50 ms', 'p99 ms'],
      [
        startingRow('request sent', starting.fromSent, floor),
        startingRow('acceptance answered', starting.fromAnswer, floor),
        startingRow('(sent to answered)', starting.answer, floor),
        startingRow('(a call of the floor)', floor, floor),
      ],
    ),
    '',
    'Webhook that waits for its answer, from the reference agent (in brackets: ratio to an API start that is only accepted)',
    ...table(
      ['', 'a second', 'p50 ms', 'p99 ms'],
      [
        answeringRow(`call to answer, ${answering.connections} connections`, answering.answering, answering.starting),
        answeringRow('call to answer, 1 connection', answering.single, answering.starting),
        answeringRow(
          `API start, run as well, ${answering.connections} connections`,
          answering.running,
          answering.starting,
        ),
        answeringRow(
          `API start, only accepted, ${answering.connections} connections`,
          answering.starting,
          answering.starting,
        ),
      ],
    ),
    `  CPU a call at ${answering.connections} connections, microseconds: ${cpuText(answering.answering.cpu)}`,
    '',
    `${waiting.calls} open waiting calls, KB a call: ${waiting.perCall.toFixed(1)} (${Object.entries(waiting.more)
      .map(([name, kilobytes]) => `${name} ${(kilobytes / waiting.calls).toFixed(1)}`)
      .join(' · ')})`,
    '',
    'CPU per request at 50 connections, microseconds',
    ...cells.filter(({ connections }) => connections === 50).map(({ target, cpu }) => `  ${target}: ${cpuText(cpu)}`),
    '',
    `Memory after the run, MB: ${Object.entries(memory)
      .map(([name, megabytes]) => `${name} ${megabytes.toFixed(0)}`)
      .join(' · ')}`,
    `Rows: ${rows.instances} instances = keys = ledger entries = audit rows; balances are the sums of the ledger`,
    '',
    ...bars.map(barLine),
  ].join('\n');
}

/** A line that warns of a machine that was busy before the run, or none; `busy` = the result of `busyShare`. */
export function busyWarning(busy) {
  if (busy <= MAX_QUIET_BUSY_SHARE) return [];
  const share = (100 * busy).toFixed(0);
  return [
    `CAUTION: the processors were ${share}% busy with other things before the run; these results show that as well.`,
  ];
}

function throughputRow({ target, connections, perSecond, p50, p99 }, ratios) {
  const ratio = ratios.find((one) => one.target === target && one.connections === connections);
  const beside = (text, name) => (ratio ? `${text} (${ratio[name].toFixed(2)})` : text);
  return [
    String(connections),
    target,
    beside(perSecond.toFixed(0), 'perSecond'),
    beside(p50.toFixed(2), 'p50'),
    beside(p99.toFixed(2), 'p99'),
  ];
}

function startingRow(name, { p50, p99 }, floor) {
  return [name, `${p50.toFixed(2)} (${(p50 / floor.p50).toFixed(2)})`, p99.toFixed(2)];
}

function answeringRow(name, { perSecond, p50, p99 }, beside) {
  return [name, perSecond.toFixed(0), `${p50.toFixed(2)} (${(p50 / beside.p50).toFixed(2)})`, p99.toFixed(2)];
}

function cpuText(cpu) {
  return Object.entries(cpu)
    .map(([name, used]) => `${name} ${used.toFixed(0)}`)
    .join(' · ');
}

export function barLine({ bar, measured, reached }) {
  return `${reached ? 'REACHED' : 'MISSED '}  ${bar}: ${measured}`;
}

/** The lines of a table, whose columns are as wide as their longest text. */
export function table(head, rows) {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  return [head, ...rows].map((row) =>
    `  ${row.map((text, column) => text.padEnd(widths[column])).join('  ')}`.trimEnd(),
  );
}
