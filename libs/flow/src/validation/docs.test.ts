import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateFlow } from './validate-flow';

test('the example in docs/flow.md has no problems', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/flow.md'), 'utf8');
  const example = /```json\n(.*?)```/s.exec(page)?.[1] ?? '';
  const matrix = [
    { name: 'order', type: 'Objeto' },
    { name: 'freight', type: 'Moeda' },
  ];
  expect(validateFlow(JSON.parse(example), { matrix })).toEqual({ problems: [] });
});
