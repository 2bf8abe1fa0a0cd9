import { stepNamed, type DraftFlow } from '../../../flow/draft';
import { pointerOf, segmentsOf, valueAt } from '../../../flow/pointer';
import { flowTextOf } from './flow-text';

/** Text that the user typed into a field that needs JSON, and that is no JSON. The editor keeps it until it becomes JSON or is out of date. */
export interface BrokenField {
  step: string;
  /** JSON Pointer of the field within the step. */
  field: string;
  text: string;
  /** The value that the flow has at the field while the text is no JSON. */
  value: unknown;
}

/** False when another edit has changed the field's value or removed its step, so that the text is out of date. */
export function staysBroken({ step, field, value }: BrokenField, flow: DraftFlow): boolean {
  const existing = stepNamed(flow, step);
  return existing !== undefined && flowTextOf(valueAt(existing, field)) === flowTextOf(value);
}

/**
 * The name of a step after undo or redo: a new one when the step at the same index has the same type and both names exist in only one of the
 * flows, otherwise the given name.
 */
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

/** Gives the broken fields after a change of the flow, for example with the new name of their step. */
export type MoveFields = (fields: readonly BrokenField[]) => readonly BrokenField[];

/** One entry for each field of each step: the first in the list, in which newer texts stand before those that undo brings back. */
export function firstPerField(fields: readonly BrokenField[]): BrokenField[] {
  const places = fields.map(({ step, field }) => JSON.stringify([step, field]));
  return fields.filter((_, index) => places.indexOf(places[index] ?? '') === index);
}

/** A change of a list: its items get another order, and those that the order lacks are removed. */
export interface Reorder {
  step: string;
  /** JSON Pointer of the list within the step. */
  list: string;
  /** The former indexes of the items that stay, in their new order. */
  order: readonly number[];
}

/** The broken fields after the change of a list, without those of removed items. */
export function applyReorder(fields: readonly BrokenField[], { order, ...list }: Reorder): BrokenField[] {
  return moveItems(fields, list, (index) => order.indexOf(index));
}

/** The broken fields after the change of a list is undone. Those of the items that it had removed are not among them. */
export function revertReorder(fields: readonly BrokenField[], { order, ...list }: Reorder): BrokenField[] {
  return moveItems(fields, list, (index) => order[index] ?? -1);
}

/** Puts the new indexes of a list's items into the pointers of the fields within them; an item whose new index is negative loses its fields. */
function moveItems(
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
