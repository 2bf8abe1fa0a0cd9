/** The result of a conversion: the converted value, or a reason that completes a sentence about the value. */
export type ConversionFit<T> = { fits: true; value: T } | { fits: false; why: string };

export function fits<T>(value: T): ConversionFit<T> {
  return { fits: true, value };
}

export function misfit(why: string): ConversionFit<never> {
  return { fits: false, why };
}
