import type { MappingEntry } from '@batuta/contracts';
import { requireEntries, sameMapping } from './mapping-entries';

const variables = new Set(Array.from({ length: 501 }, (_, n) => `v${n}`));
const entry = (pointer: string, variableId = 'v0'): MappingEntry => ({ pointer, variableId });
const many = (count: number, pointer = '/a') => Array.from({ length: count }, (_, n) => entry(pointer, `v${n}`));
const ofLength = (length: number) => `/${'a'.repeat(length - 1)}`;

test.each<[string, MappingEntry[]]>([
  ['no entry at all', []],
  ['the whole body', [entry('')]],
  ['an empty key', [entry('/')]],
  ['escapes', [entry('/a~0b~1c')]],
  ['a reserved root', [entry('/_query/id')]],
  ['keys that mean something to JavaScript', [entry('/__proto__/constructor')]],
  ['one field for two variables', [entry('/a', 'v0'), entry('/a', 'v1')]],
  ['the longest pointer', [entry(`/${'a'.repeat(1_999)}`)]],
  ['the maximum number of entries', many(500)],
  ['the maximum total length of pointers', many(500, ofLength(200))],
])('a mapping with %s is accepted', (_, entries) => expect(() => requireEntries(entries, variables)).not.toThrow());

test.each<[string, MappingEntry[], RegExp]>([
  ['a pointer without its slash', [entry('/a'), entry('order', 'v1')], /^entries\.1\.pointer:/],
  ['a path with dots', [entry('$.order.total')], /^entries\.0\.pointer:/],
  ['an unknown escape', [entry('/a~2')], /^entries\.0\.pointer:/],
  ['an incomplete escape', [entry('/a~')], /^entries\.0\.pointer:/],
  ['too long a pointer', [entry(`/${'a'.repeat(2_000)}`)], /^entries\.0\.pointer:/],
  ['an unknown variable', [entry('/a'), entry('/b', 'gone')], /^entries\.1\.variableId:/],
  ['a variable mapped twice', [entry('/a'), entry('/b', 'v1'), entry('/c')], /^entries\.2\.variableId:.*entries\.0/],
  ['too many entries', many(501), /^entries:/],
  [
    'too great a total length of pointers',
    [...many(499, ofLength(200)), entry(ofLength(201), 'v499')],
    /^entries: .* 100000 characters/,
  ],
])('a mapping with %s is refused by the name of the entry', (_, entries, message) =>
  expect(() => requireEntries(entries, variables)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(message) }),
  ),
);

test.each<[string, MappingEntry[], MappingEntry[], boolean]>([
  ['without entries are equal', [], [], true],
  [
    'with the same entries in another order are equal',
    [entry('/a'), entry('/b', 'v1')],
    [entry('/b', 'v1'), entry('/a')],
    true,
  ],
  ['with different pointers differ', [entry('/a')], [entry('/b')], false],
  ['with different variables differ', [entry('/a')], [entry('/a', 'v1')], false],
  ['of which one has an entry more differ', [entry('/a')], [entry('/a'), entry('/b', 'v1')], false],
  ['of which one has an entry less differ', [entry('/a'), entry('/b', 'v1')], [entry('/a')], false],
])('two mappings %s', (_, one, other, same) => expect(sameMapping(one, other)).toBe(same));
