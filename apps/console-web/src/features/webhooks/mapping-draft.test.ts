import { compareMappings, editedMapping, fillsSecret, mappingStage, withField, withoutVariable } from './mapping-draft';

const total = { variableId: 'total', pointer: '/order/total' };
const buyer = { variableId: 'buyer', pointer: '/buyer' };

test('the editor of a mapping changes the unsaved one, also if it is empty', () => {
  expect(editedMapping({ unsaved: null, saved: [total], published: [] })).toEqual([total]);
  expect(editedMapping({ unsaved: [], saved: [total], published: [] })).toEqual([]);
});

const matrix = [{ id: 'total', name: 'Total', type: 'Secreto' as const, default: null }];

test.each([
  ['unmapped', [], []],
  ['inProduction', [total, buyer], [buyer, total]],
  ['publish', [total], []],
  ['publish', [], [total]],
  ['publish', [total], [{ ...total, pointer: '/sum' }]],
] as const)('the next step of a saved mapping is %s', (stage, saved, published) => {
  expect(mappingStage({ unsaved: null, saved: [...saved], published: [...published] }, matrix)).toBe(stage);
});

test('a mapping without variables has a next step only while it is not published', () => {
  expect(mappingStage({ unsaved: null, saved: [], published: [] }, [])).toBeUndefined();
  expect(mappingStage({ unsaved: null, saved: [], published: [total] }, [])).toBe('publish');
});

test('a mapping fills a variable with the field that was assigned last', () => {
  expect(withField([total, buyer], 'total', '/sum')).toEqual([buyer, { variableId: 'total', pointer: '/sum' }]);
  expect(withoutVariable([total, buyer], 'total')).toEqual([buyer]);
});

test('a variable that only one of draft and published mapping fills is compared with an absent value', () => {
  expect(
    compareMappings([{ ...total, name: 'Total', value: 1 }], [{ ...buyer, name: 'Buyer', value: 'Ann' }]),
  ).toMatchObject([
    { variableId: 'total', name: 'Total', draft: { value: 1 }, published: undefined },
    { variableId: 'buyer', name: 'Buyer', draft: undefined, published: { value: 'Ann' } },
  ]);
});

test('a mapping fills a secret when one of its variables is a Secreto', () => {
  expect(fillsSecret([total, buyer], matrix)).toBe(true);
  expect(fillsSecret([buyer], matrix)).toBe(false);
});
