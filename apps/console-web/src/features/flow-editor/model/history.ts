/** Undo and redo over immutable states. */
export interface History<State> {
  /** Oldest first. */
  readonly past: readonly State[];
  readonly present: State;
  /** The states that redo shows, the next one first. */
  readonly future: readonly State[];
  /** Group and time (milliseconds) of the last command; the next one of the same group may share its undo step. */
  readonly last?: { readonly group: string; readonly at: number };
}

/** Older states are forgotten. */
const MAX_UNDO_STEPS = 200;
/** Commands of one group with shorter pauses, such as letters typed into one field, are undone together. */
const MAX_PAUSE_WITHIN_GROUP_MS = 1_000;

export function newHistory<State>(present: State): History<State> {
  return { past: [], present, future: [] };
}

/**
 * Adds a state and drops those that redo would show; the same object as the present one changes nothing. Commands of one `group` that follow
 * each other quickly become one undo step. `at` = the time of the command in milliseconds.
 */
export function addState<State>(
  history: History<State>,
  next: State,
  command: { group?: string; at: number },
): History<State> {
  if (Object.is(next, history.present)) return history;
  const { group, at } = command;
  const joins =
    group !== undefined &&
    history.last?.group === group &&
    at - history.last.at < MAX_PAUSE_WITHIN_GROUP_MS &&
    history.future.length === 0;
  const past = joins ? history.past : [...history.past, history.present].slice(-MAX_UNDO_STEPS);
  return {
    past,
    present: next,
    future: [],
    last: group === undefined ? undefined : { group, at },
  };
}

/** The history one state back; without an earlier state it stays there. The next command is an undo step of its own. */
export function undo<State>({ past, present, future }: History<State>): History<State> {
  const previous = past.at(-1);
  if (previous === undefined) return { past, present, future };
  return {
    past: past.slice(0, -1),
    present: previous,
    future: [present, ...future],
  };
}

/** The history one state forward; without a later state it stays there. The next command is an undo step of its own. */
export function redo<State>({ past, present, future }: History<State>): History<State> {
  const [next, ...later] = future;
  if (next === undefined) return { past, present, future };
  return { past: [...past, present], present: next, future: later };
}
