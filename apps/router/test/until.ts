import { waitUntil } from '../../../test/support/wait-until';

/** Waits for a condition with a deadline; checks it every 5 ms. */
export async function waitUntilTrue(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await waitUntil(what, condition, { everyMs: 5 });
}
