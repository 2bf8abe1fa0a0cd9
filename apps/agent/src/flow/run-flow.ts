import type { ReportEnd } from '@batuta/agent-protocol';
import type { InstanceWork } from '@batuta/contracts';
import { readShape, type Flow, type Route, type Step } from '@batuta/flow';
import { isMatrixType, type MatrixType } from '@batuta/matrix';
import { Mask } from '@batuta/masking';
import type { Effects } from '../execution/effects';
import { ExecutionScope } from '../execution/scope/execution-scope';
import { truncateTo, Journal } from '../execution/journal';
import { ExecutionResources } from '../execution/execution-resources';
import { StepError, StoppedError } from '../step-error';
import { StepRunner } from './steps/step-runner';
import { RunState } from '../execution/scope/run-state';

const MAX_ERROR_LENGTH = 4_000;
const MAX_STEP_NAME_LENGTH = 200;
const MAX_SHOWN_CONDITION_LENGTH = 200;

/** The destination after a step: another step, or the end of the execution. */
type NextStepOrEnd = { to: string } | { end: ReportEnd };

/**
 * Runs one execution from its first step to its end and returns the end; never throws. Pause, resume and stop take
 * effect between steps; a stop also interrupts a wait, call or script. The parameter `flow` is the flow of `work` if it
 * was validated already; without it the flow is validated here.
 */
export async function runFlow(
  work: Omit<InstanceWork, 'fence' | 'version'>,
  effects: Effects,
  flow?: Flow,
): Promise<ReportEnd> {
  const mask = new Mask(() => new StepError('the execution holds more sensitive text than can be kept out of its log'));
  const journal = new Journal(effects.log, mask, effects.now);
  const resources = new ExecutionResources();
  try {
    return await new FlowRun(work, flow ?? readFlow(work.flow), effects, mask, journal, resources).run();
  } catch (error) {
    const { message: raw, cut } = toStepError(error, mask, effects);
    const message = mask.redact(raw, { cut });
    await journal.logExecution(`The execution failed: ${message}`, 'ERROR');
    return { outcome: 'ERROR', errorStep: null, errorMessage: truncateTo(MAX_ERROR_LENGTH, message) };
  } finally {
    await resources.close();
  }
}

class FlowRun {
  private readonly state: RunState;
  private readonly steps: StepRunner;
  private readonly byName: Map<string, Step>;
  private readonly limit: number;

  constructor(
    work: Omit<InstanceWork, 'fence' | 'version'>,
    private readonly flow: Flow,
    private readonly effects: Effects,
    private readonly mask: Mask,
    private readonly journal: Journal,
    resources: ExecutionResources,
  ) {
    this.state = new RunState(work, effects.now(), effects.monotonicNow);
    const scope = new ExecutionScope(matrixOf(work), work.vault, this.state, mask);
    this.steps = new StepRunner(scope, this.state, journal, effects, flow, work, resources);
    this.byName = new Map(flow.steps.map((step) => [step.name, step]));
    this.limit = Math.min(effects.stepLimit, flow.stepLimit ?? effects.stepLimit);
  }

  async run(): Promise<ReportEnd> {
    let name = this.flow.start;
    for (;;) {
      const next = await this.runStep(name);
      if ('end' in next) return next.end;
      name = next.to;
    }
  }

  private async runStep(name: string): Promise<NextStepOrEnd> {
    this.journal.enterStep(name);
    await this.waitWhilePaused();
    if (this.effects.control.stopped) return this.endAsStopped();
    if (this.state.execSteps >= this.limit) return this.endAtStepLimit();
    this.state.enter(name);
    const step = this.byName.get(name);
    try {
      if (!step) throw new StepError('there is no such step in the flow');
      await this.journal.info('started');
      await this.runTraced(step, () => this.steps.run(step));
      return await this.followRoute(await this.steps.firstRoute(step.routes, 'route'));
    } catch (error) {
      if (error instanceof StoppedError || this.effects.control.stopped) return this.endAsStopped();
      return this.onFailure(name, step, error);
    }
  }

  /** Runs a step. If the execution is traced, its times are reported, and whether it failed or was stopped. */
  private async runTraced({ name, type }: Step, run: () => Promise<void>): Promise<void> {
    const { now, stepEnded } = this.effects;
    if (!stepEnded) return run();
    const began = now();
    const reportEnd = (failed: boolean) =>
      stepEnded({ name: this.maskedStepName(name), type, began, ended: now(), failed });
    try {
      await run();
      reportEnd(false);
    } catch (error) {
      reportEnd(true);
      throw error;
    }
  }

  private async followRoute(route: Route | undefined): Promise<NextStepOrEnd> {
    const because =
      route?.when === undefined
        ? ''
        : `, because ${this.mask.excerpt(route.when.trim(), MAX_SHOWN_CONDITION_LENGTH)} holds`;
    if (route?.terminate) {
      await this.journal.info(`the execution is terminated here${because}`);
      return { end: { outcome: 'TERMINATED', errorStep: null, errorMessage: null } };
    }
    if (route?.to !== undefined) {
      await this.journal.logNextStep(route.to, because);
      return { to: route.to };
    }
    const steps = this.state.execSteps === 1 ? '1 step' : `${this.state.execSteps} steps`;
    await this.journal.logExecution(`The execution ended without error after ${steps}${because}`);
    return { end: { outcome: 'FINALIZED', errorStep: null, errorMessage: null } };
  }

  /** Follows the first `onError` route whose condition holds; without one the execution ends in error. */
  private async onFailure(name: string, step: Step | undefined, error: unknown): Promise<NextStepOrEnd> {
    const problem = toStepError(error, this.mask, this.effects);
    const message = this.mask.redact(problem.message, problem);
    this.state.keepError(name, problem.status, message, problem.evidence);
    await this.journal.error(message, problem.evidence);
    try {
      const route = await this.steps.firstRoute(step?.onError, 'onError');
      if (route) return await this.followRoute(route);
    } catch (second) {
      if (second instanceof StoppedError || this.effects.control.stopped) return this.endAsStopped();
      if (!(second instanceof StepError)) throw second;
      await this.journal.error(this.mask.redact(second.message, second));
    }
    const errorMessage = truncateTo(
      MAX_ERROR_LENGTH,
      `Step "${this.mask.redactIfWhole(name)}": ${this.mask.redact(message)}`,
    );
    return { end: { outcome: 'ERROR', errorStep: this.maskedStepName(name), errorMessage } };
  }

  private async endAtStepLimit(): Promise<NextStepOrEnd> {
    const errorMessage = `The limit of ${this.limit} executed steps was reached`;
    await this.journal.logExecution(errorMessage, 'ERROR');
    return {
      end: { outcome: 'STEP_LIMIT_REACHED', errorStep: this.maskedStepName(this.state.stepName), errorMessage },
    };
  }

  private async endAsStopped(): Promise<NextStepOrEnd> {
    await this.journal.logExecution('The execution was stopped', 'WARNING');
    return { end: { outcome: 'STOPPED', errorStep: null, errorMessage: null } };
  }

  private async waitWhilePaused(): Promise<void> {
    if (!this.effects.control.paused) return;
    await this.journal.logExecution('The execution is paused');
    await this.effects.control.untilNotPaused();
    if (!this.effects.control.stopped) await this.journal.logExecution('The execution goes on');
  }

  private maskedStepName(step: string): string {
    return this.mask.redactIfWhole(step).slice(0, MAX_STEP_NAME_LENGTH);
  }
}

/**
 * An error that is no StepError is a fault of the agent: its details belong in the agent's own log, not in that of the execution.
 */
function toStepError(error: unknown, mask: Mask, effects: Effects): StepError {
  if (error instanceof StepError) return error;
  effects.logInternalError(mask.redact(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  return new StepError('the agent failed unexpectedly');
}

function matrixOf(work: Pick<InstanceWork, 'matrix'>): { name: string; type: MatrixType; value: unknown }[] {
  return work.matrix.map(({ name, type, value }) => {
    if (!isMatrixType(type)) throw new StepError(`matrix.${name} has a type that this agent version does not know`);
    return { name, type, value };
  });
}

/**
 * Checks the shape of an offer's flow. Names and references were checked when the flow was published and are not checked
 * again: the Matrix may have changed since, and a step that is never reached may refer to a deleted variable.
 * Throws StepError for a definition that this version of the agent does not understand.
 */
function readFlow(definition: unknown): Flow {
  const shape = readShape(definition);
  if ('flow' in shape) return shape.flow;
  const [first] = shape.problems;
  throw new StepError(`this agent version does not understand the flow: ${first?.path} ${first?.message}`);
}
