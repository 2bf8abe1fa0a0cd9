import { endDeliveriesOf } from './end-deliveries';

const subscriptions = new Set(Array.from({ length: 6 }, (_, n) => `s${n}`));

/** Ends the deliveries of `subscriptions`; returns how many each call may end. */
async function maxRowsOfCalls(end: (maxRows: number) => number): Promise<number[]> {
  const rows: number[] = [];
  await endDeliveriesOf(subscriptions, async (_id, maxRows) => {
    rows.push(maxRows);
    return end(maxRows);
  });
  return rows;
}

test('the deliveries that one round ends are bounded over all subscriptions together', async () => {
  expect(await maxRowsOfCalls((maxRows) => Math.min(maxRows, 400))).toEqual([1_000, 600, 200]);
});

test('subscriptions with few waiting deliveries all end in one round', async () => {
  expect(await maxRowsOfCalls(() => 1)).toEqual([1_000, 999, 998, 997, 996, 995]);
});

test('a subscription whose deliveries cannot end delays no other, counts as some ended ones, and is the failure of the round', async () => {
  const rows: number[] = [];
  const ends = endDeliveriesOf(subscriptions, async (id, maxRows) => {
    rows.push(maxRows);
    if (id !== 's1') throw new Error(id);
    return 10;
  });
  await expect(ends).rejects.toThrow('s0');
  expect(rows).toEqual([1_000, 750, 740, 490, 240]);
});
