import { MASK } from './masking';
import { maskSecretNames } from './secret-names';

test('the mask replaces the values of secret names and keeps the names', () => {
  const stored = {
    truncated: false,
    body: '{"token":"b"}',
    query: 'a=%C3%A7&token=t1&token=t2',
    headers: { 'x-api-key': 'k', 'x-a': '1' },
  };
  const { body, query, headers } = maskSecretNames(stored);
  expect(body).toBe(stored.body);
  expect([...new URLSearchParams(query)]).toEqual([
    ['a', 'ç'],
    ['token', MASK],
    ['token', MASK],
  ]);
  expect(headers).toEqual({ 'x-api-key': MASK, 'x-a': '1' });
});

test('a query without secrets is stored as it was sent', () => {
  const stored = { truncated: true, body: '', query: 'a=%zz&&b', headers: {} };
  expect(maskSecretNames(stored)).toEqual(stored);
});
