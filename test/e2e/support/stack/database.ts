import { openStore, type Store } from '@batuta/database';

const MAX_TRIES = 5;

/** Repeats work that connects to the database when the connection times out on a busy machine. */
export async function retryConnection<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_TRIES || !String(error).includes('ETIMEDOUT')) throw error;
    }
  }
}

/** Opens the database for the test's own queries, over one connection. */
export function openTestStore(url: string): Promise<Store> {
  return retryConnection(() => openStore({ url, pool: 1 }));
}
