import type { Work } from '@batuta/contracts';
import type { Route, RestStep, ScriptStep, Step, StepType, WaitStep } from '@batuta/flow';
import { AuthorCode } from './author-code';
import type { Effects } from '../effects';
import type { ExecutionScope } from '../scope/execution-scope';
import type { Journal } from '../journal';
import { WebhookResponses } from './response-step';
import { callRest, answerError, restRequestOf, type CallIdentity } from './rest-step';
import { setRow } from './set-row';
import { StepError } from '../step-error';
import type { RunState } from '../scope/run-state';

/** The step types that this version of the agent runs; any other step fails. */
export const SUPPORTED_STEPS: readonly StepType[] = ['variables', 'script', 'rest', 'wait', 'webhookResponse'];

/** Runs the steps of one execution. */
export class StepRunner {
  private readonly code: AuthorCode;
  private readonly responses: WebhookResponses;

  constructor(
    private readonly scope: ExecutionScope,
    private readonly state: RunState,
    private readonly journal: Journal,
    private readonly effects: Effects,
    private readonly work: Pick<Work, 'requestID' | 'instanceID' | 'awaited'>,
  ) {
    this.code = new AuthorCode(effects.code, effects.control.signal);
    this.responses = new WebhookResponses(scope, journal, work.awaited === true, (answer) => effects.answer(answer));
  }

  /** Runs rows, action and validation in this order. Throws StepError when one of them fails. */
  async run(step: Step): Promise<void> {
    await this.setRows(step);
    await this.runAction(step);
    if (step.validation === undefined) return;
    const { value, secrecy } = await this.code.script(step.validation, this.scope.fieldView(), 'validation');
    this.state.stepValidation = value;
    await this.journal.info(`validation gave ${this.journal.formatValue(value, undefined, secrecy === 'derived')}`);
  }

  /** The first route whose condition holds. `field` names the list in messages. */
  async firstRoute(routes: Route[] | undefined, field: string): Promise<Route | undefined> {
    for (const [index, route] of (routes ?? []).entries()) {
      if (route.when === undefined) return route;
      const what = `condition of ${field} ${index + 1}`;
      if (await this.code.condition(route.when, this.scope.fieldView(), what)) return route;
    }
    return undefined;
  }

  private async setRows(step: Step): Promise<void> {
    const set: string[] = [];
    try {
      for (const row of step.rows ?? []) {
        const value = await setRow(row, this.scope, this.code);
        const shown = this.journal.formatValue(value, this.scope.typeOf(row.name), this.scope.isSensitive(row.name));
        set.push(`${row.name} = ${shown}`);
      }
    } finally {
      if (set.length > 0) await this.journal.info(set.join(', '));
    }
  }

  private runAction(step: Step): Promise<void> {
    switch (step.type) {
      case 'variables':
        return Promise.resolve();
      case 'script':
        return this.runScript(step);
      case 'rest':
        return this.call(step);
      case 'wait':
        return this.wait(step);
      case 'webhookResponse':
        return this.responses.respond(step);
      default:
        throw new StepError(`step type ${step.type} is not supported by this agent version`);
    }
  }

  private async runScript(step: ScriptStep): Promise<void> {
    const { value, secrecy } = await this.code.script(step.code, this.scope.fieldView(), 'script');
    if (step.as === undefined) return this.journal.info('the script ran');
    this.scope.setAutomatic(step.as, value, secrecy);
    await this.journal.info(
      `the script gave ${step.as} = ${this.journal.formatValue(value, undefined, secrecy === 'derived')}`,
    );
  }

  private async call(step: RestStep): Promise<void> {
    const idempotencyKey = `${this.work.instanceID}:${this.state.execSteps}`;
    const identity: CallIdentity = { requestID: this.work.requestID, idempotencyKey };
    const request = restRequestOf(step, this.scope.fieldView(), identity);
    const begunAt = this.effects.now();
    const result = await callRest(step, request, this.effects, this.journal);
    if (step.as !== undefined) this.scope.setAutomatic(step.as, result, 'open');
    if (result.status >= 400) throw answerError(request, result);
    const took = this.effects.now() - begunAt;
    await this.journal.info(`${request.method} ${request.url} answered ${result.status} in ${took} ms`);
  }

  private async wait(step: WaitStep): Promise<void> {
    await this.effects.sleep(step.seconds * 1000, this.effects.control.signal);
    await this.journal.info(`waited ${step.seconds} s`);
  }
}
