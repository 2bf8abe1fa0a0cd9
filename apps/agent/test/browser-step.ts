import type { Step, StepOf } from '@batuta/flow';

export type BrowserActions = StepOf<'browser'>['actions'];

/** A browser step with the name `look`. */
export function browserStep(actions: BrowserActions, rest: Partial<StepOf<'browser'>> = {}): Step {
  return { name: 'look', type: 'browser', actions, ...rest };
}
