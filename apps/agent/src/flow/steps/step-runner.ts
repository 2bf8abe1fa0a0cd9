import type { InstanceWork } from '@batuta/contracts';
import {
  actionTexts,
  factsOf,
  fieldVariable,
  mappingOf,
  mappingTexts,
  rowTexts,
  type Flow,
  type StepMapping,
  type Route,
  type Step,
} from '@batuta/flow';
import type { StepContext } from '../../connectors/connector';
import { connectorFor } from '../../connectors/registry';
import { AuthorCode } from '../../execution/author-code';
import type { Effects } from '../../execution/effects';
import { PictureTexts } from './picture-texts';
import type { ExecutionScope, ScopeView } from '../../execution/scope/execution-scope';
import type { Journal } from '../../execution/journal';
import { setMappedField, setRow } from './set-row';
import { StepError } from '../../step-error';
import type { ExecutionResources } from '../../execution/execution-resources';
import type { RunState } from '../../execution/scope/run-state';

/** Runs the steps of one execution: rows, validation and routes here, the action by the connector of the step's type. */
export class StepRunner {
  private readonly code: AuthorCode;
  private readonly pictures: PictureTexts;
  private readonly execution: StepContext;

  constructor(
    private readonly scope: ExecutionScope,
    private readonly state: RunState,
    private readonly journal: Journal,
    effects: Effects,
    flow: Flow,
    work: Pick<InstanceWork, 'requestID' | 'instanceID' | 'awaited'>,
    resources: ExecutionResources,
  ) {
    this.code = new AuthorCode(effects.code, effects.control.signal);
    this.pictures = new PictureTexts(flow, scope, journal, effects);
    this.execution = { scope, state, journal, effects, code: this.code, work, resources };
  }

  /**
   * Runs rows, mapping, action and validation in this order. Throws StoppedError at a stop, and StepError when one of them fails. After a failure
   * `{connector.…}` has no value of an earlier step, which `onError` would take for one of this step. `{as}` keeps its value, such as the cursor
   * of a list that a flow reads page by page; without one it is empty, so that a condition of `onError` can read it.
   */
  async run(step: Step): Promise<void> {
    const emptyUnlessSet = this.scope.watchResults(factsOf(step.type).connector, step.as);
    try {
      await this.runParts(step);
    } catch (error) {
      emptyUnlessSet();
      throw error;
    }
  }

  private async runParts(step: Step): Promise<void> {
    const connector = connectorFor(step.type);
    connector?.begin?.(this.execution);
    await this.setRows(step);
    if (!connector) throw new StepError(`step type ${step.type} is not supported by this agent version`);
    const mapping = mappingOf(step);
    try {
      await this.pictures.prepare(() => [...mappingTexts(step), ...actionTexts(step)]);
      await this.setFields(mapping);
      await this.execution.effects.control.untilMayAct();
      await connector.run(step, this.execution);
    } finally {
      this.scope.clearFields(Object.keys(mapping));
    }
    if (step.validation !== undefined) await this.validate(step.validation, this.scope.fieldView(), 'validation');
  }

  /** Stores the result in `{stepValidation}`; a result of false does not fail the step (interpretation 60). */
  private async validate(code: string, view: ScopeView, what: string): Promise<void> {
    await this.pictures.prepare(() => [{ path: '', text: code, syntax: 'script' }]);
    const { value, secrecy } = await this.code.runScript(code, view, what);
    const isDerived = secrecy === 'derived';
    if (isDerived) this.scope.hideDerived(value);
    this.state.keepValidation(value, isDerived);
    await this.journal.info(`${what} gave ${this.journal.formatValue(value, undefined, isDerived)}`);
  }

  private async setFields(mapping: StepMapping): Promise<void> {
    const set: string[] = [];
    try {
      for (const [name, field] of Object.entries(mapping)) {
        const value = await setMappedField(name, field, this.scope, this.code);
        set.push(`${name} = ${this.shown(fieldVariable(name), value)}`);
        if (field.validation === undefined) continue;
        await this.validate(field.validation, this.scope.validationView(name), `validation of the field ${name}`);
      }
    } finally {
      if (set.length > 0) await this.journal.info(`mapping: ${set.join(', ')}`);
    }
  }

  private shown(variable: string, value: unknown): string {
    return this.journal.formatValue(value, this.scope.typeOf(variable), this.scope.isSensitive(variable));
  }

  /**
   * The first route without a condition or whose condition holds, if any. `field`, `route` or `onError`, names the list in messages. Throws
   * StepError for a condition that cannot be evaluated, and StoppedError at a stop.
   */
  async firstRoute(routes: Route[] | undefined, field: string): Promise<Route | undefined> {
    for (const [index, route] of (routes ?? []).entries()) {
      if (route.when === undefined) return route;
      const what = `condition of ${field} ${index + 1}`;
      const { when } = route;
      await this.pictures.prepare(() => [{ path: '', text: when, syntax: 'expression' }]);
      if (await this.code.evaluateCondition(when, this.scope.fieldView(), what)) return route;
    }
    return undefined;
  }

  private async setRows(step: Step): Promise<void> {
    const set: string[] = [];
    try {
      for (const [index, row] of (step.rows ?? []).entries()) {
        await this.pictures.prepare(() => rowTexts(step).slice(index, index + 1));
        const value = await setRow(row, this.scope, this.code);
        set.push(`${row.name} = ${this.shown(row.name, value)}`);
      }
    } finally {
      if (set.length > 0) await this.journal.info(set.join(', '));
    }
  }
}
