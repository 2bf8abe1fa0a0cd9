import type { Work } from '@batuta/contracts';
import type { Route, Step } from '@batuta/flow';
import type { StepContext } from '../../connectors/connector';
import { connectorFor } from '../../connectors/registry';
import { AuthorCode } from './author-code';
import type { Effects } from '../effects';
import type { ExecutionScope } from '../scope/execution-scope';
import type { Journal } from '../journal';
import { setRow } from './set-row';
import { StepError } from '../step-error';
import type { RunState } from '../scope/run-state';

/** Runs the steps of one execution: rows, validation and routes here, the action by the connector of the step's type. */
export class StepRunner {
  private readonly code: AuthorCode;
  private readonly execution: StepContext;

  constructor(
    private readonly scope: ExecutionScope,
    private readonly state: RunState,
    private readonly journal: Journal,
    effects: Effects,
    work: Pick<Work, 'requestID' | 'instanceID' | 'awaited'>,
  ) {
    this.code = new AuthorCode(effects.code, effects.control.signal);
    this.execution = { scope, state, journal, effects, code: this.code, work };
  }

  /** Runs rows, action and validation in this order. Throws StepError when one of them fails. */
  async run(step: Step): Promise<void> {
    await this.setRows(step);
    const connector = connectorFor(step.type);
    if (!connector) throw new StepError(`step type ${step.type} is not supported by this agent version`);
    await connector.run(step, this.execution);
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
}
