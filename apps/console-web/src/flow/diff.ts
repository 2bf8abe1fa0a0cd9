import { ROUTE_KINDS, routesOf, type DraftFlow, type DraftStep } from './draft';
import { pointerOf } from './pointer';

/** A field that differs; undefined on a side without the field. */
export interface FieldChange {
  /** JSON Pointer within the step, or within the flow for its own fields. */
  path: string;
  before: unknown;
  after: unknown;
}

export interface StepChange {
  /** The name in the later flow; of a removed step, in the earlier one. */
  name: string;
  change: 'added' | 'removed' | 'changed' | 'renamed';
  /** The former name of a renamed step. */
  from?: string;
  /** Empty for an added and a removed step, and for most renamed ones. */
  fields: FieldChange[];
}

export interface FlowDiff {
  /** Fields of the flow itself, such as its start. */
  flow: FieldChange[];
  /** The steps that differ: first those of the later flow in its order, then the removed ones. */
  steps: StepChange[];
}

/**
 * Compares two flows. The order of their steps has no meaning and is not compared. A start or a route that leads to a renamed step counts
 * as unchanged.
 */
export function diffFlows(before: DraftFlow, after: DraftFlow): FlowDiff {
  const renamed = renamedSteps(before, after);
  const newName = (name: string) => renamed.get(name) ?? name;
  const old = new Map(before.steps.map((step) => [newName(step.name), step]));
  const kept = new Set(after.steps.map(({ name }) => name));
  const { steps: _before, ...flowBefore } = before;
  const { steps: _after, ...flowAfter } = after;
  return {
    flow: changedFields({ ...flowBefore, start: newName(before.start) }, flowAfter),
    steps: [
      ...after.steps.flatMap((step) => changeOf(old.get(step.name), step, newName)),
      ...before.steps.flatMap((step): StepChange[] =>
        kept.has(newName(step.name)) ? [] : [{ name: step.name, change: 'removed', fields: [] }],
      ),
    ],
  };
}

function changeOf(before: DraftStep | undefined, after: DraftStep, newName: (name: string) => string): StepChange[] {
  if (!before) return [{ name: after.name, change: 'added', fields: [] }];
  const fields = changedFields({ ...withNewTargets(before, newName), name: after.name }, after);
  if (before.name !== after.name) return [{ name: after.name, change: 'renamed', from: before.name, fields }];
  return fields.length === 0 ? [] : [{ name: after.name, change: 'changed', fields }];
}

/** The new names of renamed steps by their former names: a removed and an added step are one step when everything except their names is equal. */
function renamedSteps(before: DraftFlow, after: DraftFlow): Map<string, string> {
  const names = new Set(after.steps.map(({ name }) => name));
  const known = new Set(before.steps.map(({ name }) => name));
  const added = after.steps.filter(({ name }) => !known.has(name));
  const renamed = new Map<string, string>();
  for (const step of before.steps.filter(({ name }) => !names.has(name))) {
    const same = added.findIndex((each) => changedFields({ ...step, name: '' }, { ...each, name: '' }).length === 0);
    if (same >= 0) renamed.set(step.name, added.splice(same, 1)[0]?.name ?? step.name);
  }
  return renamed;
}

function withNewTargets(step: DraftStep, newName: (name: string) => string): DraftStep {
  return ROUTE_KINDS.reduce<DraftStep>((changed, kind) => {
    if (step[kind] === undefined) return changed;
    const routes = routesOf(step, kind).map((route) =>
      route.to === undefined ? route : { ...route, to: newName(route.to) },
    );
    return { ...changed, [kind]: routes };
  }, step);
}

/** The smallest fields that differ: objects that both sides have are compared key by key, lists index by index. */
function changedFields(before: unknown, after: unknown, path: readonly (string | number)[] = []): FieldChange[] {
  if (Object.is(before, after)) return [];
  if (!isStructure(before) || !isStructure(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path: pointerOf(path), before, after }];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => changedFields(ownValue(before, key), ownValue(after, key), [...path, key]));
}

function isStructure(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function ownValue(json: object, key: string): unknown {
  return Object.hasOwn(json, key) ? Reflect.get(json, key) : undefined;
}
