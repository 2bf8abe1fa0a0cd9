import { openStore, type Store } from '@batuta/database';

const TRIES = 5;

/** What begins with a connection to the database; once more when the machine stood still while it was made. */
export async function connected<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || !String(error).includes('ETIMEDOUT')) throw error;
    }
  }
}

/** The database as tests look into it: over one connection, which is there from now on. */
export function openWitness(url: string): Promise<Store> {
  return connected(() => openStore({ url, pool: 1 }));
}
