import { stepNamed, type DraftFlow } from '../../../flow/draft';
import { pointerOf, segmentsOf, valueAt } from '../../../flow/pointer';
import { flowTextOf } from './flow-text';

/** Text in the form of a step that is no JSON although its field needs JSON; it is kept until it becomes JSON. */
export interface BrokenField {
  step: string;
  /** JSON Pointer of the field within the step. */
  field: string;
  text: string;
  /** The value that the flow has at the field while the text is no JSON. */
  value: unknown;
}

/** False when another edit has changed the field's value or removed its step: the text no longer stands for this value then. */
export function staysBroken({ step, field, value }: BrokenField, flow: DraftFlow): boolean {
  const existing = stepNamed(flow, step);
  return existing !== undefined && flowTextOf(valueAt(existing, field)) === flowTextOf(value);
}

/** The name that a step of a flow has in another one: a step that was renamed keeps its place and its type. */
export function nameAfter(name: string, before: DraftFlow, after: DraftFlow): string {
  const index = before.steps.findIndex((step) => step.name === name);
  const renamed = after.steps[index];
  const isRenamed =
    renamed !== undefined &&
    before.steps.length === after.steps.length &&
    before.steps[index]?.type === renamed.type &&
    stepNamed(after, name) === undefined &&
    stepNamed(before, renamed.name) === undefined;
  return isRenamed ? renamed.name : name;
}

/** What a change of the flow does to the broken fields. */
export type MoveFields = (fields: readonly BrokenField[]) => readonly BrokenField[];

/** The first entry for each field of each step. The text that was typed last comes first, before texts that undo brings back. */
export function firstOfEach(fields: readonly BrokenField[]): BrokenField[] {
  const places = fields.map(({ step, field }) => JSON.stringify([step, field]));
  return fields.filter((_, index) => places.indexOf(places[index] ?? '') === index);
}

/** Another order of the items of a list; items that the order lacks are removed. */
export interface Reorder {
  step: string;
  /** JSON Pointer of the list within the step. */
  list: string;
  /** The former indexes of the items that stay. */
  order: readonly number[];
}

/** The broken fields after a change of the order. */
export function reordered(fields: readonly BrokenField[], { order, ...list }: Reorder): BrokenField[] {
  return movedItems(fields, list, (index) => order.indexOf(index));
}

/** The broken fields of the items that stayed, after the change of the order is undone. */
export function orderRestored(fields: readonly BrokenField[], { order, ...list }: Reorder): BrokenField[] {
  return movedItems(fields, list, (index) => order[index] ?? -1);
}

/** Gives the fields in items of a list the items' new indexes; the fields of an item without one are removed. */
function movedItems(
  fields: readonly BrokenField[],
  { step, list }: Omit<Reorder, 'order'>,
  newIndexOf: (index: number) => number,
): BrokenField[] {
  return fields.flatMap((each) => {
    if (each.step !== step || !each.field.startsWith(`${list}/`)) return [each];
    const [index, ...within] = segmentsOf(each.field.slice(list.length));
    const next = newIndexOf(Number(index));
    return next < 0 ? [] : [{ ...each, field: `${list}${pointerOf([next, ...within])}` }];
  });
}
