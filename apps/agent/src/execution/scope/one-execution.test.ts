import type { Step } from '@batuta/flow';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });

test('variables last for one execution, and the next one begins with the registered values again', async () => {
  const world = createFlowWorld(sandbox);
  const matrix = [
    { name: 'count', type: 'Número', value: 3 },
    { name: 'items', type: 'Lista', value: ['a'] },
  ];
  const step: Step = {
    name: 's',
    type: 'variables',
    rows: [
      { name: 'before', mode: 'Variável ou texto', value: '{matrix.count} {matrix.items} {own}' },
      { name: 'own', mode: 'Fixo', value: 'x' },
      { name: 'matrix.count', mode: 'Fórmula', value: '{matrix.count} + 1', assign: true },
      { name: 'matrix.items', mode: 'Fórmula', value: '[...{matrix.items}, "b"]', assign: true },
      { name: 'after', mode: 'Variável ou texto', value: '{matrix.count} {matrix.items} {own}' },
    ],
  };
  await world.run([step], { matrix });
  await world.run([step], { matrix });
  const line = String.raw`before = "3 ["a"] {own}", own = "x", matrix.count = 4, matrix.items = ["a","b"], after = "4 ["a","b"] x"`;
  expect(world.messages().split(line)).toHaveLength(3);
  expect(matrix.map(({ value }) => value)).toEqual([3, ['a']]);
});

test('an automatic variable has no type: it keeps the value of the step, and any value can be assigned to it', async () => {
  const world = createFlowWorld(sandbox);
  const steps: Step[] = [
    {
      name: 'give',
      type: 'script',
      code: 'return { text: "1.234,50", n: 7, none: null }',
      as: 'given',
      routes: [{ to: 'use' }],
    },
    {
      name: 'use',
      type: 'variables',
      rows: [
        { name: 'kinds', mode: 'Fórmula', value: 'typeof {given.text} + typeof {given.n} + {given.none}' },
        { name: 'given', mode: 'Fixo', value: 'any text', assign: true },
        { name: 'later', mode: 'Variável ou texto', value: '{given}' },
      ],
    },
  ];
  await world.run(steps);
  expect(world.messages()).toContain('kinds = "stringnumbernull", given = "any text", later = "any text"');
});
