import { entityTag, requireMatch } from './entity-tag';

const TAG = entityTag('{"a":1}');

test('equal texts have equal tags, and different texts have different tags', () => {
  expect(TAG).toMatch(/^"[\w-]{22}"$/);
  expect(entityTag('{"a":1}')).toBe(TAG);
  expect(entityTag('{"a":2}')).not.toBe(TAG);
});

test('a tag changes when the computed part of the answer changes', () => {
  const tags = [entityTag('{"a":1}', { problems: [] }), entityTag('{"a":1}', { problems: ['a'] })];
  expect(new Set([TAG, ...tags]).size).toBe(3);
});

test.each([undefined, TAG, `"x", ${TAG}`, '*', `W/${TAG}`, entityTag('{"a":1}', {}), `W/${entityTag('{"a":1}', {})}`])(
  'If-Match: %s admits the stored text',
  (header) => {
    expect(() => requireMatch(header, '{"a":1}')).not.toThrow();
  },
);

test.each(['"x"', '', 'x', TAG.slice(1, -1), `${TAG.slice(0, -1)}x"`, entityTag('{"a":2}', {})])(
  'If-Match: %s is PRECONDITION_FAILED',
  (header) => {
    expect(() => requireMatch(header, '{"a":1}')).toThrow(expect.objectContaining({ code: 'PRECONDITION_FAILED' }));
  },
);
