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

export const canRedo = ({ history }: EditorState): boolean => history.future.length > 0;

/** The state without the last change. */
export function undone(state: EditorState): EditorState {
  if (!canUndo(state)) return state;
  const { reorder, dropped = [] } = state.history.present;
  return withHistory(state, undo(state.history), (fields) => [
    ...(reorder ? revertReorder(fields, reorder) : fields),
    ...dropped,
  ]);
}

/** The state with the change that was undone last. */
export function redone(state: EditorState): EditorState {
  if (!canRedo(state)) return state;
  const history = redo(state.history);
  const { reorder } = history.present;
  return withHistory(state, history, (fields) => (reorder ? applyReorder(fields, reorder) : fields));
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
