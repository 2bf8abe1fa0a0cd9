import { waitUntil } from '../../../test/support/wait-until';

/** Waits for a condition, with a deadline and short looks. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await waitUntil(what, holds, { everyMs: 5 });
}
