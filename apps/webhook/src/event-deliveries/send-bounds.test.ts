import { SendBounds } from './send-bounds';

const target = (companyID: string, subscriptionID: string) => ({ companyID, subscriptionID });
const newBounds = () => new SendBounds({ total: 6, perCompany: 3, perSubscription: 2 });

test('a subscription has at most its number of deliveries in flight, and a company at most that of all its subscriptions', () => {
  const bounds = newBounds();
  const taken = ['a', 'a', 'a', 'b', 'b', 'c'].map((id) => bounds.take(target('one', id)));
  expect(taken).toEqual([true, true, false, true, false, false]);
  expect(bounds.fullSubscriptions).toEqual(['a']);
  expect(bounds.take(target('two', 'x'))).toBe(true);
});

test('all companies together have at most the total number of deliveries in flight', () => {
  const bounds = newBounds();
  const taken = ['1', '2', '3', '4', '5', '6', '7'].map((id) => bounds.take(target(id, id)));
  expect(taken).toEqual([true, true, true, true, true, true, false]);
  expect(bounds.room).toBe(0);
});

test('a delivery that ended leaves its place to the next one', () => {
  const bounds = newBounds();
  for (const id of ['a', 'a', 'b']) bounds.take(target('one', id));
  bounds.release(target('one', 'a'));
  expect(bounds.fullSubscriptions).toEqual([]);
  expect(bounds.take(target('one', 'c'))).toBe(true);
  expect(bounds.inFlight).toBe(3);
  for (const id of ['a', 'b', 'c']) bounds.release(target('one', id));
  expect(bounds.room).toBe(6);
});
