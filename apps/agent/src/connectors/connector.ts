import type { InstanceWork } from '@batuta/contracts';
import type { StepOf, StepType } from '@batuta/flow';
import type { Effects } from '../execution/effects';
import type { Journal } from '../execution/journal';
import type { ExecutionResources } from '../execution/execution-resources';
import type { ExecutionScope } from '../execution/scope/execution-scope';
import type { RunState } from '../execution/scope/run-state';
import type { AuthorCode } from '../execution/author-code';

/** What the action of a step may use of its execution: variables, log, files and effects. */
export interface StepContext {
  readonly scope: ExecutionScope;
  readonly state: RunState;
  readonly journal: Journal;
  readonly effects: Effects;
  readonly code: AuthorCode;
  readonly resources: ExecutionResources;
  readonly work: Pick<InstanceWork, 'requestID' | 'instanceID' | 'awaited'>;
}

/**
 * Runs the action of the steps of one type. `run` rejects with StepError when the step fails, and with any error as soon as
 * `effects.control.signal` aborts, which ends the execution as stopped.
 */
export interface Connector<Type extends StepType = StepType> {
  run(step: StepOf<Type>, execution: StepContext): Promise<void>;
  /** Called before the rows of a step of this type; refreshes system variables. */
  begin?(execution: StepContext): void;
}
