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
