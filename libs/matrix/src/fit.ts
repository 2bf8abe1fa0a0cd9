/** What a reader makes of a value: the converted value, or why it does not fit (worded to follow the value). */
export type Fit<T> = { fits: true; value: T } | { fits: false; why: string };

export function fits<T>(value: T): Fit<T> {
  return { fits: true, value };
}

export function misfit(why: string): Fit<never> {
  return { fits: false, why };
}
