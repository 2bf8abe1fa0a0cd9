import { jsonWeight } from './json-weight';

test.each([
  ['a long text', JSON.stringify('x'.repeat(100_000)), 1, 1.1],
  ['empty objects', `[${'{},'.repeat(30_000)}{}]`, 20, 40],
  ['empty lists', `[${'[],'.repeat(30_000)}[]]`, 20, 40],
  ['numbers', `[${'1,'.repeat(30_000)}1]`, 8, 20],
  ['properties', JSON.stringify(Object.fromEntries(Array.from({ length: 9_999 }, (_, n) => [`p${n}`, n]))), 4, 10],
])('the weight of %s is the size of its text plus the memory of its parsed parts', (_, json, least, most) => {
  const weight = jsonWeight(json);
  expect(weight / json.length).toBeGreaterThanOrEqual(least);
  expect(weight / json.length).toBeLessThanOrEqual(most);
  expect(jsonWeight(Buffer.from(json))).toBe(weight);
});

test('the weight of a string counts its UTF-16 units, and not its bytes in UTF-8', () => {
  expect(jsonWeight('"ção ☕"')).toBe(7);
});
