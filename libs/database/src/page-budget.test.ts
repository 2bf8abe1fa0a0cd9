import { withRequestID } from '@batuta/logging';
import { PAGE_BYTES, PageBudget } from './page-budget';

/** A read whose page is in memory until `finish`. */
function openRead() {
  let finish = (): void => undefined;
  const read = () => new Promise<void>((resolve) => (finish = resolve));
  return { read, finish: () => finish() };
}

test('the accounts of a company share the memory of its pages, and another company reads meanwhile', async () => {
  const pages = new PageBudget();
  const ended: string[] = [];
  const asCompany = (tenant: string, account: string, read: () => Promise<void>) =>
    withRequestID(undefined, () => pages.read(account, 3 * PAGE_BYTES, read), { tenant }).then(() =>
      ended.push(account),
    );
  const first = openRead();
  const reads = [asCompany('company', 'first', first.read), asCompany('company', 'second', async () => undefined)];
  await asCompany('other company', 'other', async () => undefined);
  first.finish();
  await Promise.all(reads);
  expect(ended).toEqual(['other', 'first', 'second']);
});
