import type { Flow } from '../definition/definition';
import { isSystemVariable } from '../variables/system-variables';
import { variableOf } from '../variables/resolve-reference';
import { automaticNames, type AutomaticNames } from './automatic-names';

/** Where a row (a flow variable that a step computes) stands: the index of its step in the flow, and its index in the step. */
export interface RowPosition {
  step: number;
  row: number;
}

/** The Matrix variables and vault keys that a flow of a process may refer to. */
export interface FlowContext {
  /** The Matrix variables registered for the process. */
  matrix: { name: string; type: string }[];
  /** The vault keys that the process may use; every key is allowed when the list is left out. */
  vaultKeys?: readonly string[];
}

/** Every name that a variable may have while the flow runs, by kind of variable (contract 2.12). */
export interface KnownNames {
  /** Types of the registered Matrix variables, by name without the prefix. */
  matrix: ReadonlyMap<string, string>;
  /** Flow variables, by name: the position of the first row that creates each, and its type (Tipo), if any. */
  flowVariables: ReadonlyMap<string, RowPosition & { type?: string }>;
  /** Every `as` in the flow, even of steps without a result. */
  resultNames: ReadonlySet<string>;
  automatic: AutomaticNames;
  steps: ReadonlySet<string>;
  /** The vault keys that the process may use; undefined = every key is allowed. */
  vaultKeys: ReadonlySet<string> | undefined;
  /** The variable that a reference reads, or undefined when the reference begins with no variable. */
  variableOf(reference: string): string | undefined;
}

export function knownNames(flow: Flow, { matrix: matrixVariables, vaultKeys }: FlowContext): KnownNames {
  const matrix = new Map(matrixVariables.map(({ name, type }) => [name, type]));
  const automatic = automaticNames(flow);
  const flowVariables = flowVariablesOf(flow);

  const has = (name: string) =>
    (isSystemVariable(name) && name !== 'JS') ||
    (name.startsWith('matrix.') && matrix.has(name.slice('matrix.'.length))) ||
    (name.startsWith('vault.') && name.length > 'vault.'.length) ||
    flowVariables.has(name) ||
    automatic.has(name);
  return {
    matrix,
    flowVariables,
    resultNames: new Set(flow.steps.flatMap(({ as }) => (as === undefined ? [] : [as]))),
    automatic,
    steps: new Set(flow.steps.map(({ name }) => name)),
    vaultKeys: vaultKeys && new Set(vaultKeys),
    variableOf: (reference) => variableOf(reference, { has }),
  };
}

function flowVariablesOf(flow: Flow): KnownNames['flowVariables'] {
  const variables = new Map<string, RowPosition & { type?: string }>();
  for (const [step, { rows: stepRows = [] }] of flow.steps.entries()) {
    for (const [row, { name, type, assign }] of stepRows.entries()) {
      if (!assign && !variables.has(name)) variables.set(name, { step, row, type });
    }
  }
  return variables;
}
