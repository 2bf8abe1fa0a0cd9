import type { Locator, Page } from 'playwright-core';
import { openTestStore } from '../../support/stack/database';
import { makeOwner, makeProcess, type Owner } from '../../support/tenants/factories';
import { MORE_THAN_A_PAGE, type WebWorld } from './web-world';

interface ManyShares {
  owner: Owner;
  processID: string;
  page: Page;
  /** The rows of the list, its head included. */
  rows: Locator;
}

/** Opens the shares of a process that has MORE_THAN_A_PAGE of them, of person-1@example.com, the oldest, and so on. */
export async function openManyShares({ open, stack }: WebWorld): Promise<ManyShares> {
  const owner = await makeOwner(stack);
  const { processID } = await makeProcess(stack, { owner });
  const store = await openTestStore(stack.env.DATABASE_URL ?? '');
  await store.write(
    `INSERT INTO share_invitation
       (process_id, email, may_execute, may_edit, may_api, may_schedule, may_delete, may_share, created_at)
     SELECT ?, CONCAT('person-', seq, '@example.com'), 1, 0, 0, 0, 0, 0, FROM_UNIXTIME(seq)
       FROM seq_1_to_${MORE_THAN_A_PAGE}`,
    [processID],
  );
  await store.close();
  const page = await open(`/processes/${processID}/shares`, { as: owner, language: 'en' });
  const rows = page.getByRole('table', { name: 'Sharing' }).getByRole('row');
  await rows.nth(100).waitFor();
  return { owner, processID, page, rows };
}
