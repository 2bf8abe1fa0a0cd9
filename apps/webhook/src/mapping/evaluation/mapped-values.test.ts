import { parseMapping } from './mapping-cache';
import { mappedValues } from './mapped-values';
import { payloadOf } from '../../payload/payload-tree';

const mappingOf = (count: number, pointer: string) =>
  parseMapping(Array.from({ length: count }, (_, n) => ({ pointer, variableId: `v${n}` })));
const payloadOfHalfTheLimit = payloadOf(
  { controls: '\0'.repeat(87_381), text: 'x'.repeat(524_286), node: { list: ['é'.repeat(262_137)] } },
  '',
  {},
);

test.each([
  ['a text', '/text'],
  ['a node', '/node'],
  ['a text that JSON escapes', '/controls'],
])('%s of half a megabyte can be mapped four times but not five times', (_, pointer) => {
  expect(mappedValues(mappingOf(4, pointer), payloadOfHalfTheLimit)).toHaveLength(4);
  expect(() => mappedValues(mappingOf(5, pointer), payloadOfHalfTheLimit)).toThrow(
    expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE', message: expect.not.stringContaining('xxx') }),
  );
});

test('a mapping with the maximum number of entries can map small fields', () => {
  expect(mappedValues(mappingOf(500, '/small'), payloadOf({ small: 'x'.repeat(4_000) }, '', {}))).toHaveLength(500);
});

describe('deep nodes', () => {
  const chain: unknown = JSON.parse('['.repeat(101) + ']'.repeat(101));

  test('a node that is nested too deeply is searched once, however many variables map it', () => {
    let searches = 0;
    const node = {
      get first() {
        searches += 1;
        return 0;
      },
      last: chain,
    };
    expect(mappedValues(mappingOf(500, '/node'), payloadOf({ node }, '', {}))).toHaveLength(500);
    expect(searches).toBe(1);
  });

  test('a node that is nested too deeply counts like a whole body at each mapped level, which bounds the time of the search', () => {
    const nested = parseMapping(
      Array.from({ length: 3 }, (_, n) => ({ pointer: '/0'.repeat(n), variableId: `v${n}` })),
    );
    const body: unknown = JSON.parse('['.repeat(200) + ']'.repeat(200));
    expect(() => mappedValues(nested, payloadOf(body, '', {}))).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }),
    );
  });
});
