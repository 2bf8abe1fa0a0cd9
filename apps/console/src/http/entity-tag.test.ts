import { entityTag, requireMatch } from './entity-tag';

const TAG = entityTag('{"a":1}');

test('equal texts have equal tags, and different texts have different tags', () => {
  expect(TAG).toMatch(/^"[\w-]{22}"$/);
  expect(entityTag('{"a":1}')).toBe(TAG);
  expect(entityTag('{"a":2}')).not.toBe(TAG);
});

test.each([undefined, TAG, `"x", ${TAG}`, '*', `W/${TAG}`])('If-Match: %s admits the stored text', (header) => {
  expect(() => requireMatch(header, '{"a":1}')).not.toThrow();
});

test.each(['"x"', '', 'x', TAG.slice(1, -1), `${TAG.slice(0, -1)}x"`])(
  'If-Match: %s is PRECONDITION_FAILED',
  (header) => {
    expect(() => requireMatch(header, '{"a":1}')).toThrow(expect.objectContaining({ code: 'PRECONDITION_FAILED' }));
  },
);
