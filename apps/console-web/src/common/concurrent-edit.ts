import { useRef } from 'react';

/** Thrown by `useChangesOf` when somebody else has saved other values in fields that the user has changed. */
export class EditConflict extends Error {
  override readonly name = 'EditConflict';

  constructor(
    /** The values that somebody else has saved, by the names of their fields. */
    readonly saved: Readonly<Record<string, unknown>>,
  ) {
    super('changed meanwhile');
  }
}

/** The fields that the user has changed, with their edited values. */
export function changesOf<Values extends object>(initial: Values, edited: Values): Partial<Values> {
  const change: Partial<Values> = {};
  for (const name in edited) if (!isSame(edited[name], initial[name])) change[name] = edited[name];
  return change;
}

/** The saved values that the change would replace although the user has not seen them in `initial` or `seen`. */
export function conflictsOf<Values extends object>(
  change: Partial<Values>,
  saved: Values,
  initial: Values,
  seen: Values,
): Partial<Values> {
  const conflicts: Partial<Values> = {};
  for (const name in change) {
    const known = [initial[name], seen[name], change[name]];
    if (!known.some((value) => isSame(saved[name], value))) conflicts[name] = saved[name];
  }
  return conflicts;
}

/**
 * Applies the edit of a list, from `initial` to `edited`, to the saved list, so that items which somebody else has added or removed
 * meanwhile stay added or removed.
 */
export function withEdit<Item>(saved: Item[], initial: Item[], edited: Item[]): Item[] {
  const kept = saved.filter((item) => edited.includes(item) || !initial.includes(item));
  const added = edited.filter((item) => !initial.includes(item) && !saved.includes(item));
  return [...kept, ...added];
}

/**
 * For a form that changes saved values. The returned function takes the edited values, reads the saved ones by `read`, and resolves to the
 * fields that the user has changed, so that a save keeps what somebody else has saved in other fields. It rejects with EditConflict when
 * somebody else has saved another value in a changed field. The form shows that value, so the next save replaces it. `initial` = the values of the
 * form at its first rendering; later ones are ignored.
 */
export function useChangesOf<Values extends object>(initial: Values, read: () => Promise<Values>) {
  const first = useRef(initial);
  const seen = useRef(initial);
  return async (edited: Values): Promise<Partial<Values>> => {
    const change = changesOf(first.current, edited);
    const saved = await read();
    const conflicts = conflictsOf(change, saved, first.current, seen.current);
    if (Object.keys(conflicts).length === 0) return change;
    seen.current = saved;
    throw new EditConflict({ ...conflicts });
  };
}

export const isEmpty = (change: object): boolean => Object.keys(change).length === 0;

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sortKeys) === JSON.stringify(other, sortKeys);
}

function sortKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
