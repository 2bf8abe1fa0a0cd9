import type { Flow } from './definition';

/** Keys used as `{vault.KEY}` in the fields of the steps, each once. */
export function vaultKeysOf(_flow: Flow): string[] {
  throw new Error('to be filled in');
}
