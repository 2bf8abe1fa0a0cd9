import { renderText, type StepOf } from '@batuta/flow';
import type { Locator } from 'playwright-core';
import type { KeptPicture } from '../../evidence/evidence-sink';
import type { ExecutionFile } from '../../execution/files/execution-files';
import type { StepContext } from '../connector';
import type { BrowserSession, ElementPlace } from './browser-session';
import type { StepTime } from './step-time';

export type BrowserAction = StepOf<'browser'>['actions'][number];
export type ActionName = BrowserAction['action'];
export type ActionOf<Name extends ActionName> = Extract<BrowserAction, { action: Name }>;

/**
 * The context of a browser action. The texts of an action are filled in when it runs, so that they can contain values
 * that earlier actions of the step have read.
 */
export class ActionContext {
  private readonly fields: Record<string, unknown> = {};
  private value: unknown = null;
  private file: ExecutionFile | undefined;

  constructor(
    readonly session: BrowserSession,
    readonly time: StepTime,
    readonly execution: StepContext,
    private readonly as: string | undefined,
  ) {}

  /** Fills in a text that a machine reads: an address or a selector. */
  fillMachineText(template: string): string {
    return renderText(template, this.execution.scope.fieldView(), 'machine');
  }

  /**
   * Fills in a text that people read, with Moeda in Brazilian form (contract 2.6), and says whether the text contains a
   * secret.
   */
  fillText(template: string): { text: string; isSecret: boolean } {
    const view = this.execution.scope.fieldView();
    const text = renderText(template, view, 'person');
    return { text, isSecret: view.secrecy === 'derived' };
  }

  fillPlace({ selector, frame, nth }: ElementPlace): ElementPlace {
    const frames = typeof frame === 'string' ? [frame] : (frame ?? []);
    return { selector: this.fillMachineText(selector), frame: frames.map((each) => this.fillMachineText(each)), nth };
  }

  element(place: ElementPlace): Promise<Locator> {
    return this.session.locate(this.fillPlace(place));
  }

  /** Hides the form field in all later pictures. */
  async hide(action: ElementPlace & { timeoutSeconds?: number }): Promise<void> {
    const place = this.fillPlace(action);
    await this.session.hideInPictures(place, this.time.limit(action.timeoutSeconds));
  }

  /** Sets the variable that the step names in `as`, or its field `into`; without `as` the value is lost. */
  setVariable(value: unknown, into: string | undefined): void {
    if (into === undefined) this.value = value;
    else this.value = this.fields;
    if (into !== undefined) this.fields[into] = value;
    this.setResult();
  }

  /** Sets the file of the variable that the step names in `as`, and keeps its value. */
  setFileVariable(file: ExecutionFile): void {
    this.file = file;
    this.setResult();
  }

  /** Sets `{as.evidence}` and `{as.evidence_BUFFER}`; does nothing without `as`. */
  setEvidenceVariable(kept: KeptPicture): void {
    if (this.as !== undefined) this.execution.scope.setEvidence(this.as, kept);
  }

  private setResult(): void {
    if (this.as === undefined) return;
    const value = this.value === this.fields ? { ...this.fields } : this.value;
    this.execution.scope.setAutomatic(this.as, value, 'open', this.file);
  }
}
