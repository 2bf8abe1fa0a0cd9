import type { MappingEntry } from '@batuta/contracts';
import { requireValidEntries, isSameMapping } from './mapping-entries';

const variableIDs = new Set(Array.from({ length: 501 }, (_, n) => `v${n}`));
const mappingEntry = (pointer: string, variableId = 'v0'): MappingEntry => ({ pointer, variableId });
const manyEntries = (count: number, pointer = '/a') =>
  Array.from({ length: count }, (_, n) => mappingEntry(pointer, `v${n}`));
const pointerOfLength = (length: number) => `/${'a'.repeat(length - 1)}`;

test.each<[string, MappingEntry[]]>([
  ['no entry at all', []],
  ['the whole body', [mappingEntry('')]],
  ['an empty key', [mappingEntry('/')]],
  ['escapes', [mappingEntry('/a~0b~1c')]],
  ['a reserved root', [mappingEntry('/_query/id')]],
  ['keys that mean something to JavaScript', [mappingEntry('/__proto__/constructor')]],
  ['one field for two variables', [mappingEntry('/a', 'v0'), mappingEntry('/a', 'v1')]],
  ['the longest pointer', [mappingEntry(`/${'a'.repeat(1_999)}`)]],
  ['the maximum number of entries', manyEntries(500)],
  ['the maximum total length of pointers', manyEntries(500, pointerOfLength(200))],
])('a mapping with %s is accepted', (_, entries) =>
  expect(() => requireValidEntries(entries, variableIDs)).not.toThrow(),
);

test.each<[string, MappingEntry[], RegExp]>([
  ['a pointer without its slash', [mappingEntry('/a'), mappingEntry('order', 'v1')], /^entries\.1\.pointer:/],
  ['a path with dots', [mappingEntry('$.order.total')], /^entries\.0\.pointer:/],
  ['an unknown escape', [mappingEntry('/a~2')], /^entries\.0\.pointer:/],
  ['an incomplete escape', [mappingEntry('/a~')], /^entries\.0\.pointer:/],
  ['too long a pointer', [mappingEntry(`/${'a'.repeat(2_000)}`)], /^entries\.0\.pointer:/],
  ['an unknown variable', [mappingEntry('/a'), mappingEntry('/b', 'gone')], /^entries\.1\.variableId:/],
  [
    'a variable mapped twice',
    [mappingEntry('/a'), mappingEntry('/b', 'v1'), mappingEntry('/c')],
    /^entries\.2\.variableId:.*entries\.0/,
  ],
  ['too many entries', manyEntries(501), /^entries:/],
  [
    'too great a total length of pointers',
    [...manyEntries(499, pointerOfLength(200)), mappingEntry(pointerOfLength(201), 'v499')],
    /^entries: .* 100000 characters/,
  ],
])('a mapping with %s is refused, and the refusal names the entry', (_, entries, message) =>
  expect(() => requireValidEntries(entries, variableIDs)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(message) }),
  ),
);

test.each<[string, MappingEntry[], MappingEntry[], boolean]>([
  ['without entries are equal', [], [], true],
  [
    'with the same entries in another order are equal',
    [mappingEntry('/a'), mappingEntry('/b', 'v1')],
    [mappingEntry('/b', 'v1'), mappingEntry('/a')],
    true,
  ],
  ['with different pointers differ', [mappingEntry('/a')], [mappingEntry('/b')], false],
  ['with different variables differ', [mappingEntry('/a')], [mappingEntry('/a', 'v1')], false],
  [
    'of which one has an entry more differ',
    [mappingEntry('/a')],
    [mappingEntry('/a'), mappingEntry('/b', 'v1')],
    false,
  ],
  [
    'of which one has an entry less differ',
    [mappingEntry('/a'), mappingEntry('/b', 'v1')],
    [mappingEntry('/a')],
    false,
  ],
])('two mappings %s', (_, one, other, same) => expect(isSameMapping(one, other)).toBe(same));
