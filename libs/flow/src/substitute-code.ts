import type { Variables } from './variables';

/** Formulas, conditions and scripts with `{var}` put in as literals (reading 43). */
export function substituteCode(_code: string, _lookup: Variables): string {
  throw new Error('to be filled in');
}
