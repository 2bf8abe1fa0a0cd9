import { nodeID } from './node-id';

test('different step names have different node ids of letters, digits and underscores only', () => {
  const names = ['a', 'b', '"]', 'a b', '\ud800', '😀', '', 'A', '__proto__'];
  const ids = names.map(nodeID);
  expect(new Set(ids).size).toBe(names.length);
  expect(ids.every((id) => /^s[a-z0-9_]*$/.test(id))).toBe(true);
});
