import type { Work } from '@batuta/contracts';
import type { Route, RestStep, ScriptStep, Step, StepType, WaitStep } from '@batuta/flow';
import { AuthorCode } from './code';
import type { Effects } from './effects';
import type { ExecutionScope } from './execution-scope';
import type { Journal } from './journal';
import { WebhookResponses } from './response-step';
import { callRest, refusedCall, requestOf, type Caller } from './rest-step';
import { setRow } from './rows';
import { StepError } from './step-error';
import type { RunState } from './system-values';

/** What this version of the agent runs; the others of the flow definition end with a clear error. */
export const SUPPORTED_STEPS: readonly StepType[] = ['variables', 'script', 'rest', 'wait', 'webhookResponse'];

/** What a step of one execution needs: its variables, its log, the world. */
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

  /** Rows, action, validation, in this order. Throws StepError when one of them fails. */
  async run(step: Step): Promise<void> {
    await this.setRows(step);
    await this.act(step);
    if (step.validation === undefined) return;
    const { value, secrecy } = await this.code.script(step.validation, this.scope.fieldReading(), 'validation');
    this.state.stepValidation = value;
    await this.journal.info(`validation gave ${this.journal.shown(value, undefined, secrecy === 'derived')}`);
  }

  /** The first route that holds. `field` is how messages call the list. */
  async firstRoute(routes: Route[] | undefined, field: string): Promise<Route | undefined> {
    for (const [index, route] of (routes ?? []).entries()) {
      if (route.when === undefined) return route;
      const what = `condition of ${field} ${index + 1}`;
      if (await this.code.condition(route.when, this.scope.fieldReading(), what)) return route;
    }
    return undefined;
  }

  private async setRows(step: Step): Promise<void> {
    const set: string[] = [];
    try {
      for (const row of step.rows ?? []) {
        const value = await setRow(row, this.scope, this.code);
        const shown = this.journal.shown(value, this.scope.typeOf(row.name), this.scope.isSensitive(row.name));
        set.push(`${row.name} = ${shown}`);
      }
    } finally {
      if (set.length > 0) await this.journal.info(set.join(', '));
    }
  }

  private act(step: Step): Promise<void> {
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
    const { value, secrecy } = await this.code.script(step.code, this.scope.fieldReading(), 'script');
    if (step.as === undefined) return this.journal.info('the script ran');
    this.scope.deliver(step.as, value, secrecy);
    await this.journal.info(
      `the script gave ${step.as} = ${this.journal.shown(value, undefined, secrecy === 'derived')}`,
    );
  }

  private async call(step: RestStep): Promise<void> {
    const idempotencyKey = `${this.work.instanceID}:${this.state.execSteps}`;
    const caller: Caller = { requestID: this.work.requestID, idempotencyKey };
    const request = requestOf(step, this.scope.fieldReading(), caller);
    const begun = this.effects.now();
    const result = await callRest(step, request, this.effects, this.journal);
    if (step.as !== undefined) this.scope.deliver(step.as, result, 'open');
    if (result.status >= 400) throw refusedCall(request, result);
    const took = this.effects.now() - begun;
    await this.journal.info(`${request.method} ${request.url} answered ${result.status} in ${took} ms`);
  }

  private async wait(step: WaitStep): Promise<void> {
    await this.effects.sleep(step.seconds * 1000, this.effects.control.signal);
    await this.journal.info(`waited ${step.seconds} s`);
  }
}
