import type { Flow, StepType } from './definition';
import { isSystemVariable } from './system-variables';
import { variableOf } from './variables';

/** Where a flow variable is created. */
export interface RowPlace {
  step: number;
  row: number;
  /** Its Tipo, if it has one. */
  type?: string;
}

/** Every name that may exist while a flow runs, and which kind of variable it is (contract 2.12). */
export interface Names {
  /** Types of the registered Matrix variables, by name without the prefix. */
  matrix: ReadonlyMap<string, string>;
  /** Flow variables; of a name created twice, the first place. */
  rows: ReadonlyMap<string, RowPlace>;
  /** Automatic variables, by their `as`. */
  automatic: ReadonlySet<string>;
  steps: ReadonlySet<string>;
  /** The variable that a reference reads, or undefined when no variable leads it. */
  variableOf(reference: string): string | undefined;
}

const CONNECTORS: ReadonlySet<StepType> = new Set(['rest', 'database', 'email', 'webhookResponse']);

export function namesOf(flow: Flow, matrixVariables: { name: string; type: string }[]): Names {
  const matrix = new Map(matrixVariables.map(({ name, type }) => [name, type]));
  const automatic = new Set(flow.steps.flatMap(({ as }) => (as === undefined ? [] : [as])));
  const rows = createdRows(flow);
  const hasConnector = flow.steps.some(({ type }) => CONNECTORS.has(type));

  const has = (name: string) =>
    (isSystemVariable(name) && name !== 'JS') ||
    (name.startsWith('matrix.') && matrix.has(name.slice('matrix.'.length))) ||
    (name === 'connector' && hasConnector) ||
    (name.startsWith('vault.') && name.length > 'vault.'.length) ||
    rows.has(name) ||
    automatic.has(name);
  return {
    matrix,
    rows,
    automatic,
    steps: new Set(flow.steps.map(({ name }) => name)),
    variableOf: (reference) => variableOf(reference, { has }),
  };
}

function createdRows(flow: Flow): Map<string, RowPlace> {
  const places = new Map<string, RowPlace>();
  for (const [step, { rows = [] }] of flow.steps.entries()) {
    for (const [row, { name, type, assign }] of rows.entries()) {
      if (!assign && !places.has(name)) places.set(name, { step, row, type });
    }
  }
  return places;
}
