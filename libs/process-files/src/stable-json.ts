import { isRecord, type JsonRecord } from './json-shapes';

/** Fields that are written first; the others follow in the order of their names. */
const FIRST_FIELDS = ['name', 'type', 'start', 'default', 'pointer', 'variable'];

/** The text of a JSON file. Its fields keep the order that they have in `value`. */
export function jsonFile(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/**
 * A flow with the fields of the flow itself, of its steps, rows and routes in a fixed order. Deeper objects keep the order of their fields,
 * because a step may send them in that order.
 */
export function stableFlow(flow: JsonRecord): JsonRecord {
  const { steps } = flow;
  return withFieldOrder({ ...flow, ...(Array.isArray(steps) && { steps: steps.map(stableStep) }) });
}

function stableStep(step: unknown): unknown {
  if (!isRecord(step)) return step;
  const lists = Object.entries(step).map(([name, value]) => [
    name,
    (name === 'rows' || name === 'routes') && Array.isArray(value)
      ? value.map((item: unknown) => (isRecord(item) ? withFieldOrder(item) : item))
      : value,
  ]);
  return withFieldOrder(Object.fromEntries(lists));
}

function withFieldOrder(record: JsonRecord): JsonRecord {
  const rest = Object.keys(record).filter((name) => !FIRST_FIELDS.includes(name));
  const names = [...FIRST_FIELDS.filter((name) => Object.hasOwn(record, name)), ...rest.toSorted()];
  return Object.fromEntries(names.map((name) => [name, record[name]]));
}
