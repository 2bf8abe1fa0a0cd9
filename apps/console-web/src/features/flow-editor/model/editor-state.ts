import type { BrokenField, Reorder } from './broken-fields';
import { EMPTY_FLOW, readDraft, type DraftFlow, type ShapeProblem } from '../../../flow/draft';
import { flowTextOf } from './flow-text';
import { newHistory, type History } from './history';
import type { Position } from './layout';
import type { RouteLocation } from './routes';

/** One state of the editor that undo and redo restore. */
export interface Drawing {
  flow: DraftFlow;
  /** Positions by step name: those of all steps once the user has dragged one; while empty, every change of the flow is laid out anew. */
  moved: ReadonlyMap<string, Position>;
  /** Kept through changes of the drawing, until a text can be drawn or another flow is shown. */
  brokenText?: BrokenText | undefined;
}

/** A drawing with what undo needs to know of the change that made it. */
export interface DrawnChange extends Drawing {
  /** The list whose items the change put into another order. */
  reorder?: Reorder;
  /** The broken fields that the change removed, which undo brings back. */
  dropped?: readonly BrokenField[];
}

/** Text of the text view that cannot be drawn as a flow. The editor shows it in place of the text of the last flow. */
export interface BrokenText {
  text: string;
  /** Why the JSON cannot be drawn; undefined while the text is not JSON. */
  problem: ShapeProblem | undefined;
}

/**
 * The step whose form is open, and the JSON Pointer of the field that takes the focus: the empty one means the form as a whole, and without
 * it the focus stays. Every request is a new object, so that the same field can be requested twice.
 */
export interface OpenStep {
  step: string;
  field?: string;
}

export interface EditorState {
  history: History<DrawnChange>;
  /** Names of the selected steps. */
  selected: readonly string[];
  selectedRoute: RouteLocation | undefined;
  open: OpenStep | undefined;
  /** The definition as it was read or saved last, which may be impossible to draw; null before the first save. */
  saved: unknown;
  brokenFields: readonly BrokenField[];
}

/** The state of an editor that was just opened with this definition; null stands for none. One that cannot be drawn is shown as text. */
export function initialStateOf(saved: unknown): EditorState {
  const drawn = saved === null ? { flow: EMPTY_FLOW } : readDraft(saved);
  const isDrawn = 'flow' in drawn;
  return {
    history: newHistory({
      flow: isDrawn ? drawn.flow : EMPTY_FLOW,
      moved: new Map(),
      brokenText: isDrawn ? undefined : { text: flowTextOf(saved), problem: drawn.problem },
    }),
    selected: [],
    selectedRoute: undefined,
    open: undefined,
    saved,
    brokenFields: [],
  };
}
