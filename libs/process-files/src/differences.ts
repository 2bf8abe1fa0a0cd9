import { isRecord, sameJson, type JsonRecord } from './json-shapes';
import type { MatrixItem, OriginDefinition, ProcessDefinition } from './definition';
import { FLOW_FILE, MATRIX_FILE, ORIGINS_FOLDER, SETTINGS_FILE } from './process-files';

/**
 * One change of an import: `from` is the value in the console, `to` the value in the files; absent where there is none.
 */
export interface Difference {
  file: string;
  /** JSON Pointer in the file; in lists of named items the name takes the place of the index. `(order)` when only the order of the Matrix differs. */
  path: string;
  from?: unknown;
  to?: unknown;
}

/**
 * The changes that an import of `local` makes. Origins that only the console has are ignored, and so is its flow when the files have none, because
 * an import deletes neither.
 */
export function differencesOf(remote: ProcessDefinition, local: ProcessDefinition): Difference[] {
  return [
    ...compare(SETTINGS_FILE, '', remote.settings, local.settings),
    ...compareMatrix(remote.matrix, local.matrix),
    ...compare(FLOW_FILE, '', remote.flow ?? undefined, local.flow ?? remote.flow ?? undefined),
    ...local.origins.flatMap((origin) =>
      compareOrigin(
        remote.origins.find(({ name }) => name === origin.name),
        origin,
      ),
    ),
  ];
}

/** What differences call the file of the origin with this name; the file itself may have another name (`freeFileName`). */
export function originFile(name: string): string {
  return `${ORIGINS_FOLDER}/${name}`;
}

function compareOrigin(from: OriginDefinition | undefined, to: OriginDefinition): Difference[] {
  const file = originFile(to.name);
  return from ? compare(file, '', from, to) : [{ file, path: '', to }];
}

function compareMatrix(from: MatrixItem[], to: MatrixItem[]): Difference[] {
  const [before, after] = [from, to].map((items) => new Map(items.map((item) => [item.name, item])));
  const names = [...new Set([...from, ...to].map(({ name }) => name))];
  const changed = names.flatMap((name) =>
    compare(MATRIX_FILE, pointerTo('', name), before?.get(name), after?.get(name)),
  );
  const order = [from, to].map((items) => items.map(({ name }) => name));
  const moved = changed.length === 0 && !sameJson(order[0], order[1]);
  return moved ? [{ file: MATRIX_FILE, path: '(order)', from: order[0], to: order[1] }] : changed;
}

function compare(file: string, path: string, from: unknown, to: unknown): Difference[] {
  if (sameJson(from, to)) return [];
  if (isRecord(from) && isRecord(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => compare(file, pointerTo(path, name), fieldOf(from, name), fieldOf(to, name)));
  }
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length) {
    return from.flatMap((item, index) => compare(file, pointerTo(path, String(index)), item, to[index]));
  }
  return [{ file, path, from, to }];
}

/** Own fields only: every object has a `constructor` and a `__proto__`, which are no values of a file. */
const fieldOf = (record: JsonRecord, name: string) => (Object.hasOwn(record, name) ? record[name] : undefined);

const pointerTo = (path: string, name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
