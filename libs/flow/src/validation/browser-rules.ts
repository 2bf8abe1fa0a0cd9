import type { Step, StepOf } from '../definition/definition';
import type { FlowProblem } from '../definition/problem';
import { READING_ACTIONS } from '../definition/steps/browser';

/**
 * The problems of the actions of a browser step: a value or file without an `as`, several values without `into`, a second download, and a `waitFor`
 * without a condition. None for a step of another type.
 */
export function browserProblems(step: Step): FlowProblem[] {
  if (step.type !== 'browser') return [];
  const actions = step.actions.map((action, index) => ({ action, path: `/actions/${index}` }));
  const reading = actions.filter(({ action }) => READING_ACTIONS.has(action.action));
  const downloads = actions.filter(({ action }) => action.action === 'download');
  const [lost] = [...reading, ...downloads];
  const nameless = lost && step.as === undefined ? [{ path: lost.path, message: MISSING_AS_MESSAGE }] : [];
  const whole = reading.length > 1 ? reading.filter(({ action }) => !('into' in action)) : [];
  return [
    ...nameless,
    ...whole.map(({ path }) => ({ path: `${path}/into`, message: SEVERAL_VALUES_MESSAGE })),
    ...actions.filter(({ action }) => isEmptyWait(action)).map(({ path }) => ({ path, message: EMPTY_WAIT_MESSAGE })),
    ...downloads.slice(1).map(({ path }) => ({ path, message: SEVERAL_FILES_MESSAGE })),
  ];
}

function isEmptyWait(action: StepOf<'browser'>['actions'][number]): boolean {
  const { selector, text, url } = action.action === 'waitFor' ? action : { selector: '' };
  return selector === undefined && text === undefined && url === undefined;
}

const EMPTY_WAIT_MESSAGE = 'needs a selector, a text or a url to wait for';
const MISSING_AS_MESSAGE = 'gives a value, but the step has no as';
const SEVERAL_VALUES_MESSAGE = 'is required where the actions of a step read several values';
const SEVERAL_FILES_MESSAGE = 'must be the only download of its step, whose {as.FILE} is one file';
