import { isRecord, routesOf, stepNamed, type DraftFlow, type DraftStep } from '../../../flow/draft';
import { reachableFrom, stepsBefore } from './graph';
import { segmentsOf } from '../../../flow/pointer';

/** A variable that completion offers. */
export interface KnownVariable {
  /** The text between the braces, such as `matrix.total` or `reply.status`; of a field of a mapping, `{name}`, because it takes two pairs. */
  name: string;
  /**
   * `row` = created by a row, `result` = the value of a step under its `as`, `connector` = set by the steps of a type under a fixed name, `field` = of
   * the mapping.
   */
  source: 'matrix' | 'row' | 'result' | 'connector' | 'vault' | 'system' | 'field';
  /** Type of a Matrix variable or a row. */
  type?: string;
  /** The step that sets the variable, or whose mapping has the field. */
  step?: string;
  /** False when an execution may read the variable without having run the step that sets it. */
  isCertain: boolean;
}

/** The sources of a flow's variables besides the flow itself. */
export interface VariableSources {
  matrix: readonly { name: string; type: string }[];
  /** The keys that the process may use of its owner's vault. */
  vaultKeys: readonly string[];
  /** By step type the variables that its steps set, such as `as.status`, where `as` stands for the name in the step's field `as`. */
  automatic: ReadonlyMap<string, readonly string[]>;
}

const SYSTEM = [
  'processID',
  'processName',
  'instanceID',
  'currentUser',
  'stepName',
  'lastStep',
  'execSteps',
  'workflow',
];
const SYSTEM_TIMES = ['startTime', 'elapsedSeconds'];
const AFTER_VALIDATION = ['stepValidation'];
const BROWSER_VARIABLES = ['currentUrl', 'urlChanged', 'fastCheck'];
const AFTER_ERROR = ['errorStep', 'errorDescription', 'lastErrorStatus', 'error.evidence', 'error.evidence_BUFFER'];
/** Every system variable that completion offers at some field; a test checks that the runtime has each of them. */
export const OFFERED_SYSTEM_VARIABLES = [
  ...SYSTEM,
  ...SYSTEM_TIMES,
  ...AFTER_VALIDATION,
  ...BROWSER_VARIABLES,
  ...AFTER_ERROR,
];

/**
 * The variables that a field of the step `name` may read; `field` = its JSON Pointer within the step. They are those of the steps on any path
 * to it, those of the step itself that are set before the field is read, and those of `sources`. None for a missing step.
 */
export function variablesAt(flow: DraftFlow, name: string, field: string, sources: VariableSources): KnownVariable[] {
  const step = stepNamed(flow, name);
  if (!step) return [];
  const place = placeOf(field);
  const earlier = stepsBefore(flow, name);
  const before = flow.steps.filter((each) => earlier.has(each.name) && each !== step);
  const given = before.flatMap((each) => {
    const isCertain = !reachableFrom(flow, flow.start, each.name).has(name);
    return variablesOf(each, sources).map((variable) => ({
      ...variable,
      isCertain,
    }));
  });
  const own = variablesOf(step, sources).filter((variable) => isSetBefore(variable, step, place));
  const all = [
    ...sources.matrix.map(({ name: id, type }) => certainVariable({ name: `matrix.${id}`, source: 'matrix', type })),
    ...own,
    ...mappingFieldsOf(step, place),
    ...given,
    ...(place.kind === 'row'
      ? []
      : sources.vaultKeys.map((key) => certainVariable({ name: `vault.${key}`, source: 'vault' }))),
    ...systemVariables(flow, step, place, before),
  ];
  return onePerName(all);
}

type Place = { kind: 'row'; index: number } | { kind: 'action' | 'mapping' | 'outcome' | 'error' };

function placeOf(field: string): Place {
  const [head, index] = segmentsOf(field);
  if (head === 'rows') return { kind: 'row', index: Number(index ?? 0) };
  if (head === 'onError') return { kind: 'error' };
  if (head === 'routes' || head === 'validation') return { kind: 'outcome' };
  return { kind: head === 'mapping' ? 'mapping' : 'action' };
}

/** Whether the step sets its own variable before it reads the place: its rows from top to bottom, then its action, then validation and routes. */
function isSetBefore({ source, name }: KnownVariable, step: DraftStep, place: Place): boolean {
  if (source !== 'row') return place.kind === 'outcome' || (place.kind === 'error' && source === 'connector');
  if (place.kind !== 'row') return true;
  return rowsOf(step).findIndex((row) => row.name === name) < place.index;
}

function variablesOf(step: DraftStep, { automatic }: VariableSources): KnownVariable[] {
  const created = rowsOf(step).flatMap(({ name, type, assign }) =>
    assign || name === ''
      ? []
      : [
          certainVariable({
            name,
            source: 'row',
            step: step.name,
            ...(type !== undefined && { type }),
          }),
        ],
  );
  const given = (automatic.get(step.type) ?? []).flatMap((variable) => {
    if (variable.startsWith('connector.'))
      return [certainVariable({ name: variable, source: 'connector', step: step.name })];
    if (typeof step.as !== 'string' || step.as === '') return [];
    const name = `${step.as}${variable.slice('as'.length)}`;
    return [certainVariable({ name, source: 'result', step: step.name })];
  });
  return [...created, ...readFields(step), ...given];
}

/** The fields that the reading actions of a browser step add to its result, named by their `into`. */
function readFields(step: DraftStep): KnownVariable[] {
  const { as } = step;
  if (typeof as !== 'string' || !Array.isArray(step.actions)) return [];
  const actions: unknown[] = step.actions;
  return actions.flatMap((action) =>
    isRecord(action) && typeof action.into === 'string'
      ? [
          certainVariable({
            name: `${as}.${action.into}`,
            source: 'result',
            step: step.name,
          }),
        ]
      : [],
  );
}

/** The fields of the step's mapping, which only the texts of its own action may read, as `{{name}}`. */
function mappingFieldsOf(step: DraftStep, { kind }: Place): KnownVariable[] {
  if (kind !== 'action' || !isRecord(step.mapping)) return [];
  return Object.keys(step.mapping).map((name) =>
    certainVariable({ name: `{${name}}`, source: 'field', step: step.name }),
  );
}

function systemVariables(
  flow: DraftFlow,
  step: DraftStep,
  place: Place,
  before: readonly DraftStep[],
): KnownVariable[] {
  const steps = [...before, step];
  const inBrowser = steps.some(({ type }) => type === 'browser');
  const validated = before.some(hasValidation) || (place.kind === 'outcome' && hasValidation(step));
  const failed = place.kind === 'error' || before.some((each) => routesOf(each, 'onError').length > 0);
  const names = [
    ...SYSTEM,
    ...SYSTEM_TIMES,
    ...(validated ? AFTER_VALIDATION : []),
    ...(inBrowser ? BROWSER_VARIABLES : []),
    ...(failed ? AFTER_ERROR : []),
  ];
  return names.map((name) => certainVariable({ name, source: 'system' }));
}

function hasValidation(step: DraftStep): boolean {
  if (typeof step.validation === 'string') return true;
  return (
    isRecord(step.mapping) && Object.values(step.mapping).some((field) => isRecord(field) && 'validation' in field)
  );
}

function rowsOf(step: DraftStep): { name: string; type?: string; assign: boolean }[] {
  const rows: unknown[] = Array.isArray(step.rows) ? step.rows : [];
  return rows.map((row) => {
    if (!isRecord(row)) return { name: '', assign: false };
    const type = typeof row.type === 'string' ? row.type : undefined;
    return {
      name: typeof row.name === 'string' ? row.name : '',
      type,
      assign: row.assign === true,
    };
  });
}

function certainVariable(variable: Omit<KnownVariable, 'isCertain'>): KnownVariable {
  return { ...variable, isCertain: true };
}

/** One variable per name: a variable that is certainly set, if there is one; otherwise the first. */
function onePerName(variables: readonly KnownVariable[]): KnownVariable[] {
  const byName = new Map<string, KnownVariable>();
  for (const variable of variables) {
    const known = byName.get(variable.name);
    if (!known || (!known.isCertain && variable.isCertain)) byName.set(variable.name, variable);
  }
  return [...byName.values()];
}
