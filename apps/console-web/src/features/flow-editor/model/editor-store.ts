import { copySteps, pasteSteps } from './clipboard';
import { deleteSteps } from './delete-steps';
import {
  EMPTY_FLOW,
  readDraft,
  routesOf,
  stepNamed,
  type DraftFlow,
  type DraftStep,
  type RouteKind,
} from '../../../flow/draft';
import { applyReorder, staysBroken, type BrokenField, type MoveFields, type Reorder } from './broken-fields';
import { initialStateOf, type Drawing, type DrawnChange, type EditorState } from './editor-state';
import { addStep, insertInRoute, renameStep, setStepField } from './edit-steps';
import { parseFlowText, flowTextOf } from './flow-text';
import { valueAt } from '../../../flow/pointer';
import { addState } from './history';
import { positionsOf, positionsWithNewSteps, type Position } from './layout';
import { disconnect, type RouteLocation } from './routes';
import { redone, undone } from './undo-redo';

/** The pointer to the whole step: `show` then moves the focus to the form itself. */
const WHOLE_FORM = '';

/** The state of one flow's editor, in memory. While it has unsaved edits, `storeFor` keeps it, so that leaving the page loses none. */
export class EditorStore {
  private listeners = new Set<() => void>();
  private state: EditorState;

  constructor(
    saved: unknown,
    private readonly now: () => number = Date.now,
  ) {
    this.state = initialStateOf(saved);
  }

  readonly getState = (): EditorState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get flow(): DraftFlow {
    return this.state.history.present.flow;
  }

  /** True while a text is kept that is no flow, or no JSON for its field, and that a save would therefore lose. */
  get isBroken(): boolean {
    return this.drawing.brokenText !== undefined || this.state.brokenFields.length > 0;
  }

  /** True when the flow differs from the saved one, or `isBroken`. */
  get isChanged(): boolean {
    if (this.isBroken) return true;
    const { saved } = this.state;
    return flowTextOf(this.flow) !== flowTextOf(saved ?? EMPTY_FLOW);
  }

  /** Discards the edits with their undo history, and starts with this saved flow, for example one that another user saved. */
  reset(saved: unknown): void {
    this.set(initialStateOf(saved));
  }

  /** Marks this flow as the saved one; later edits remain unsaved changes. */
  markSaved(saved: unknown): void {
    this.set({ ...this.state, saved });
  }

  /** Replaces the flow, the positions and every broken text by another flow, such as that of an old version, as one undo step. */
  replace(flow: DraftFlow): void {
    this.addState({ flow, moved: new Map(), brokenText: undefined }, { moveFields: () => [] });
    this.set({ ...this.state, selected: [], selectedRoute: undefined, open: undefined });
  }

  /** Replaces the flow as one undo step. Quick changes of one `group`, such as letters typed into a field, share an undo step. */
  change(flow: DraftFlow, group?: string): void {
    this.addState({ flow, moved: this.drawing.moved }, { group });
  }

  /** Changes the order of a list or removes items of it, as an undo step of its own. `value` = the list after the change. */
  reorder(order: Reorder, value: unknown): void {
    const flow = setStepField(this.flow, order.step, order.list, value);
    const { moved } = this.drawing;
    this.addState({ flow, moved, reorder: order }, { moveFields: (fields) => applyReorder(fields, order) });
  }

  /** The form calls this when it has taken the focus as a whole, so that it does not take the focus again when it is shown again. */
  noteFocus(): void {
    const { open } = this.state;
    if (open?.field === WHOLE_FORM) this.set({ ...this.state, open: { step: open.step } });
  }

  /** Adds a step with a route from `after`, or else from the only selected step if that has no route yet. Opens its form, returns its name. */
  add(step: DraftStep, after = this.selectedStepWithoutRoute()): string {
    const { flow, name } = addStep(this.flow, step, after);
    this.addState(this.withPlacedSteps(flow, [name], after?.step));
    this.show(name, WHOLE_FORM);
    return name;
  }

  /** Puts a step between a step and the target of this route, opens its form and returns its name. */
  insert(step: DraftStep, at: RouteLocation): string {
    const { flow, name } = insertInRoute(this.flow, step, at);
    this.addState(this.withPlacedSteps(flow, [name], at.step));
    this.show(name, WHOLE_FORM);
    return name;
  }

  /** Renames a step, with the start and every route to it, as an undo step of its own. A name that `stepNameProblem` refuses changes nothing. */
  rename(from: string, to: string): void {
    const flow = renameStep(this.flow, from, to);
    if (flow === this.flow) return;
    const moved = new Map([...this.drawing.moved].map(([name, position]) => [name === from ? to : name, position]));
    const renamed = (name: string) => (name === from ? to : name);
    const { open, selected } = this.state;
    const moveFields: MoveFields = (fields) => fields.map((field) => ({ ...field, step: renamed(field.step) }));
    this.addState({ flow, moved }, { moveFields });
    this.set({
      ...this.state,
      selected: selected.map(renamed),
      // Without `field`, because the form would take the focus there again.
      open: open && { step: renamed(open.step) },
    });
  }

  /** Deletes the selected steps, or else the selected route. */
  deleteSelected(): void {
    const { selected, selectedRoute } = this.state;
    if (selected.length > 0) return this.delete(selected);
    if (selectedRoute) this.change(disconnect(this.flow, selectedRoute));
    this.set({ ...this.state, selectedRoute: undefined });
  }

  /** Deletes steps, and joins the routes around them as `deleteSteps` does. */
  delete(names: readonly string[]): void {
    this.change(deleteSteps(this.flow, names));
    const { open, selected } = this.state;
    this.set({
      ...this.state,
      selected: selected.filter((name) => !names.includes(name)),
      open: open && names.includes(open.step) ? undefined : open,
    });
  }

  /** The selected steps as text for the clipboard, which the caller writes; undefined when no step is selected. */
  copiedText(): string | undefined {
    const { selected } = this.state;
    return selected.length === 0 ? undefined : copySteps(this.flow, selected);
  }

  /** Adds the steps beside the step selected last, and returns their names. A single one opens its form, so that it is seen in a large flow. */
  paste(steps: readonly DraftStep[]): string[] {
    const { flow, names } = pasteSteps(this.flow, steps);
    this.addState(this.withPlacedSteps(flow, names, this.state.selected.at(-1)));
    const [only, another] = names;
    if (only !== undefined && another === undefined) this.show(only);
    else this.select(names);
    return names;
  }

  /** Moves the steps that were dragged. From then on every step stays where it is, until `tidyUp`. */
  move(positions: ReadonlyMap<string, Position>): void {
    const { flow, moved } = this.drawing;
    this.addState(
      { flow, moved: new Map([...positionsOf(flow, moved), ...positions]) },
      { group: `move ${[...positions.keys()].join()}` },
    );
  }

  /** Lays out all steps again, and at every change from then on. */
  tidyUp(): void {
    if (this.drawing.moved.size > 0) this.addState({ flow: this.flow, moved: new Map() });
  }

  /** Takes back the last change of the flow, its positions or its broken text. */
  undo(): void {
    this.set(undone(this.state));
  }

  redo(): void {
    this.set(redone(this.state));
  }

  /** Takes the whole text of the text view: as the flow if it can be drawn, else as `brokenText` beside the last flow. */
  typeText(text: string): void {
    const read = parseFlowText(text);
    const drawn = read && readDraft(read.json);
    const { flow, moved, brokenText } = this.drawing;
    if (drawn && 'flow' in drawn) {
      // A broken text that becomes a flow at once is no state of its own.
      const group = brokenText ? 'broken text' : 'text';
      return this.addState({ flow: drawn.flow, moved, brokenText: undefined }, { group });
    }
    // A group of its own, so that undo takes back the broken text and leaves the last flow that was typed.
    this.addState({ flow, moved, brokenText: { text, problem: drawn?.problem } }, { group: 'broken text' });
  }

  /** Keeps the text of a JSON field that is not JSON; `undefined` removes the kept text, because the field has a value again. */
  typeField(step: string, field: string, text: string | undefined): void {
    const others = this.state.brokenFields.filter((each) => each.step !== step || each.field !== field);
    const value = valueAt(stepNamed(this.flow, step), field);
    this.set({
      ...this.state,
      brokenFields: text === undefined ? others : [...others, { step, field, text, value }],
    });
  }

  select(selected: readonly string[]): void {
    this.set({ ...this.state, selected, selectedRoute: undefined });
  }

  /** Selects a route instead of all steps; `undefined` selects no route and keeps the selected steps. */
  selectRoute(selectedRoute: RouteLocation | undefined): void {
    this.set({ ...this.state, selectedRoute, selected: selectedRoute ? [] : this.state.selected });
  }

  /** Selects a step and opens its form. `field` = JSON Pointer of what takes the focus, empty for the form; without it the focus stays. */
  show(step: string, field?: string): void {
    this.set({
      ...this.state,
      selected: [step],
      selectedRoute: undefined,
      open: { step, field },
    });
  }

  closeForm(): void {
    this.set({ ...this.state, open: undefined });
  }

  /** The only selected step, if it has no route: steps that are added one after the other thus form a chain. */
  private selectedStepWithoutRoute(): { step: string; kind: RouteKind } | undefined {
    const [name, another] = this.state.selected;
    const step = name !== undefined && another === undefined ? stepNamed(this.flow, name) : undefined;
    return step && routesOf(step, 'routes').length === 0 ? { step: step.name, kind: 'routes' } : undefined;
  }

  private get drawing(): DrawnChange {
    return this.state.history.present;
  }

  private withPlacedSteps(flow: DraftFlow, names: readonly string[], beside: string | undefined): Drawing {
    return { flow, moved: positionsWithNewSteps(this.flow, this.drawing.moved, names, beside) };
  }

  /**
   * Adds a state to the history; the same flow at the same positions, with the same broken text, adds none. A change without the property `brokenText`
   * keeps the broken text. `moveFields` gives the broken fields after the change.
   */
  private addState(
    changed: Drawing & { reorder?: Reorder },
    { group, moveFields = (fields) => fields }: { group?: string; moveFields?: MoveFields } = {},
  ): void {
    const { flow, moved, brokenText } = this.drawing;
    const change = { brokenText, ...changed };
    if (change.flow === flow && change.moved === moved && change.brokenText === brokenText) return;
    const { history, brokenFields } = this.state;
    const kept = (fields: readonly BrokenField[]) =>
      moveFields(fields).filter((field) => staysBroken(field, change.flow));
    const dropped = brokenFields.filter((field) => kept([field]).length === 0);
    const added = addState(history, { ...change, dropped }, { group, at: this.now() });
    const isJoined = added.past === history.past;
    const present = { ...change, dropped: [...((isJoined && history.present.dropped) || []), ...dropped] };
    this.set({ ...this.state, history: { ...added, present }, brokenFields: kept(brokenFields) });
  }

  private set(state: EditorState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
