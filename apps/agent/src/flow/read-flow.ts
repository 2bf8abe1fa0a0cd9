import { readShape, type Flow } from '@batuta/flow';
import { StepError } from './step-error';

/**
 * Checks the shape of an offer's flow. Names and references were checked when the flow was published and are not checked
 * again: the Matrix may have changed since, and a step that is never reached may refer to a deleted variable.
 * Throws StepError for a definition that this version of the agent does not understand.
 */
export function readFlow(definition: unknown): Flow {
  const shape = readShape(definition);
  if ('flow' in shape) return shape.flow;
  const [first] = shape.problems;
  throw new StepError(`this agent version does not understand the flow: ${first?.path} ${first?.message}`);
}
