import { stepNamed, type DraftFlow } from '../../../flow/draft';
import { valueAt } from '../../../flow/pointer';
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
