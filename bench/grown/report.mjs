/** An operation is marked when it takes more than this times as long in the grown database. */
const MAX_GROWN_RATIO = 1.2;
/** Bars for schedules that are due in the same second: the p99 of their lag, and how much the p99 of other starts may grow. */
const MAX_LAG_MS = 5_000;
const MAX_OTHERS_RATIO = 3;
const MAX_STATEMENT_CHARACTERS = 400;

/** The results of `runGrown` as text. */
export function grownToText({ scale, sizes, busy, filled, times, rows, due }) {
  const lines = [
    `Scale ${scale}: ${Object.entries(sizes)
      .map(([name, number]) => `${number.toLocaleString('en')} ${name}`)
      .join(', ')}; before the run ${Math.round(busy * 100)} % of the processors were busy.`,
    fillLine(filled, sizes),
    '',
    'p50, in turns: empty, grown, ratio',
    ...times.map(({ name, unit, empty, grown, ratio }) => {
      const warning = ratio <= MAX_GROWN_RATIO ? '' : `   above ${MAX_GROWN_RATIO}`;
      return `  ${name.padEnd(38)} ${digits(empty)} ${digits(grown)} ${unit}   ${ratio.toFixed(2)}${warning}`;
    }),
    '',
    'Rows that the statements of one call read (reads of the storage engine): empty, grown',
    ...rows.map(({ name, empty, grown }) => {
      const side = ({ rows: read, reads }) => `${Math.round(read)} (${Math.round(reads)})`.padStart(16);
      return `  ${name.padEnd(38)} ${side(empty)} ${side(grown)}`;
    }),
  ];
  const more = rows.flatMap(({ name, more: statements }) => statements.map((statement) => ({ name, ...statement })));
  lines.push('', `Statements that read more rows in the grown database: ${more.length === 0 ? 'none' : more.length}`);
  for (const { name, text, empty, grown, times: executions, plan } of more) {
    lines.push(
      `  ${name}: ${empty} → ${grown} rows, ${executions} times`,
      `    ${text.slice(0, MAX_STATEMENT_CHARACTERS)}`,
    );
    lines.push(...plan.map((line) => `    ${line.replaceAll('\t', ' | ')}`));
  }
  return [...lines, ...dueLines(due)].join('\n');
}

function fillLine({ rows, seconds, bytes }, { instances }) {
  const tables = Object.entries(bytes).map(([name, size]) => `${name} ${(size / 2 ** 20).toFixed(0)} MB`);
  const total = Object.values(bytes).reduce((sum, size) => sum + size, 0);
  const perSecond = Math.round(rows / seconds).toLocaleString('en');
  return `Filled ${rows.toLocaleString('en')} rows in ${seconds.toFixed(0)} s, ${perSecond} a second: ${tables.join(', ')}; ${Math.round(total / instances)} bytes for each instance.`;
}

function dueLines(due) {
  if (!due) return [];
  const { due: wanted, firings, schedules, instances, lag50, lag99, settledMs, othersUsual99, others99 } = due;
  const all = firings === wanted && schedules === wanted && instances === wanted;
  const targetText = (yes) => (yes ? 'within' : 'MISSED');
  return [
    '',
    `${wanted.toLocaleString('en')} schedules due in the same second: ${firings} fired, ${instances} instances (${all ? 'each once' : 'WRONG'})`,
    `  lag p50 ${lag50} ms, p99 ${lag99} ms (bar ${MAX_LAG_MS}: ${targetText(lag99 < MAX_LAG_MS)}); all settled after ${(settledMs / 1_000).toFixed(1)} s`,
    `  starts of others, p99: ${othersUsual99.toFixed(1)} ms before, ${others99.toFixed(1)} ms meanwhile (bar ${MAX_OTHERS_RATIO} times: ${targetText(others99 < MAX_OTHERS_RATIO * othersUsual99)})`,
  ];
}

const digits = (number) => (number >= 100 ? number.toFixed(0) : number.toFixed(2)).padStart(8);
