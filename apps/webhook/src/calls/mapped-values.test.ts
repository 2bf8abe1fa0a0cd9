import { ready } from './mapping-cache';
import { mappedValues } from './mapped-values';
import { payloadOf } from './tree';

const mapping = (count: number, pointer: string) =>
  ready(Array.from({ length: count }, (_, n) => ({ pointer, variableId: `v${n}` })));
const half = payloadOf(
  { controls: '\0'.repeat(87_381), text: 'x'.repeat(524_286), node: { list: ['é'.repeat(262_137)] } },
  '',
  {},
);

test.each([
  ['text', '/text'],
  ['a node', '/node'],
  ['what JSON has to write out', '/controls'],
])('%s of half a megabyte can be mapped four times, and not a fifth time', (_, pointer) => {
  expect(mappedValues(mapping(4, pointer), half)).toHaveLength(4);
  expect(() => mappedValues(mapping(5, pointer), half)).toThrow(
    expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE', message: expect.not.stringContaining('xxx') }),
  );
});

test('as many small fields as a mapping may have are no matter', () => {
  expect(mappedValues(mapping(500, '/small'), payloadOf({ small: 'x'.repeat(4_000) }, '', {}))).toHaveLength(500);
});

describe('what is nested too deeply', () => {
  const chain: unknown = JSON.parse('['.repeat(101) + ']'.repeat(101));

  test('is looked through once, however many variables take it', () => {
    let looks = 0;
    const node = {
      get first() {
        looks += 1;
        return 0;
      },
      last: chain,
    };
    expect(mappedValues(mapping(500, '/node'), payloadOf({ node }, '', {}))).toHaveLength(500);
    expect(looks).toBe(1);
  });

  test('costs no more time than a few whole bodies, wherever the variables take it', () => {
    const nested = ready(Array.from({ length: 3 }, (_, n) => ({ pointer: '/0'.repeat(n), variableId: `v${n}` })));
    const body: unknown = JSON.parse('['.repeat(200) + ']'.repeat(200));
    expect(() => mappedValues(nested, payloadOf(body, '', {}))).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }),
    );
  });
});
