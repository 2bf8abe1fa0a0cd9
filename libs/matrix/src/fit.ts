/** The result of a conversion: the converted value, or a reason that completes a sentence about the value. */
export type Fit<T> = { fits: true; value: T } | { fits: false; why: string };

export function fits<T>(value: T): Fit<T> {
  return { fits: true, value };
}

export function misfit(why: string): Fit<never> {
  return { fits: false, why };
}
