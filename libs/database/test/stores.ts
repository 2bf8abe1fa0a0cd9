import { EntitySchema } from 'typeorm';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import { openStore, type Store } from '../src';

/** A Store of each kind on one database. */
export interface TestStores {
  url: string;
  withEntities: Store;
  plain: Store;
  pipelined: Store;
  close(): Promise<void>;
}

/** The kinds of Store as rows of `test.each`: the name in titles, and the property of `TestStores`. */
export const STORE_KINDS = [
  ['TypeORM', 'withEntities'],
  ['plain', 'plain'],
  ['pipelined', 'pipelined'],
] as const;

export const AccountEntity = new EntitySchema<{ id: string; balance: number; period: string }>({
  name: 'credit_account',
  columns: {
    id: { name: 'company_id', type: String, primary: true },
    balance: { type: Number },
    period: { type: String },
  },
});

export const INSERT_ACCOUNT_SQL = 'INSERT INTO credit_account (company_id, balance, period) VALUES (?, ?, ?)';

/** Opens stores on a new database with the current schema. */
export async function openTestStores(): Promise<TestStores> {
  const database = await createMigratedDatabase();
  const { url } = database;
  const [plain, pipelined, withEntities] = await Promise.all([
    openStore({ url, pool: 4 }),
    openStore({ url, pool: 4, pipelined: true }),
    openStore({ url, pool: 4 }, [AccountEntity]),
  ]);
  return {
    url,
    plain,
    pipelined,
    withEntities,
    async close() {
      await Promise.all([plain, pipelined, withEntities].map((store) => store.close()));
      await database.drop();
    },
  };
}
