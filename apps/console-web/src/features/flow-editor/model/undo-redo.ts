import {
  applyReorder,
  firstPerField,
  nameAfter,
  revertReorder,
  staysBroken,
  type BrokenField,
  type MoveFields,
} from './broken-fields';
import { stepNames } from './edit-steps';
import type { DrawnChange, EditorState } from './editor-state';
import { redo, undo, type History } from './history';

export const canUndo = ({ history }: EditorState): boolean => history.past.length > 0;

/** A broken text is newer than what redo would show, so redo waits until the text is undone or can be drawn. */
export const canRedo = ({ history, brokenText }: EditorState): boolean =>
  brokenText === undefined && (history.present.undoneText !== undefined || history.future.length > 0);

/** The state without a broken text, which was typed last, or else without the last change of the flow. */
export function undone(state: EditorState): EditorState {
  if (!canUndo(state)) return state;
  const { history, brokenText } = state;
  if (brokenText) {
    const present = { ...history.present, undoneText: brokenText };
    return { ...state, history: { ...history, present }, brokenText: undefined };
  }
  const { reorder, dropped = [] } = history.present;
  return withHistory(state, undo(history), (fields) => [
    ...(reorder ? revertReorder(fields, reorder) : fields),
    ...dropped,
  ]);
}

/** The state with the change, or the broken text, that was undone last. */
export function redone(state: EditorState): EditorState {
  if (!canRedo(state)) return state;
  const { undoneText } = state.history.present;
  if (undoneText) return { ...state, history: withoutUndoneText(state.history), brokenText: undoneText };
  const history = redo(state.history);
  const { reorder } = history.present;
  return withHistory(state, history, (fields) => (reorder ? applyReorder(fields, reorder) : fields));
}

/** The history for an edit, after which redo no longer brings back a broken text. */
export function withoutUndoneText(history: History<DrawnChange>): History<DrawnChange> {
  const { undoneText, ...present } = history.present;
  return undoneText === undefined ? history : { ...history, present };
}

/** Shows another state of the history. `moveFields` gives the broken fields after undo or redo. */
function withHistory(state: EditorState, history: History<DrawnChange>, moveFields: MoveFields): EditorState {
  const before = state.history.present.flow;
  const { flow } = history.present;
  const names = stepNames(flow);
  const { open, selected } = state;
  const renamed = state.brokenFields.map((field): BrokenField => ({
    ...field,
    step: nameAfter(field.step, before, flow),
  }));
  return {
    ...state,
    history,
    brokenFields: firstPerField(moveFields(renamed).filter((field) => staysBroken(field, flow))),
    selected: selected.filter((name) => names.has(name)),
    open: open && names.has(open.step) ? open : undefined,
  };
}
