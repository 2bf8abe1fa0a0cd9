import { stepSchemaOf, stepTypeNames, validateFlow } from '@batuta/flow';
import { fieldsOf, formOf } from './form-model';
import { newStep, toVariant } from './new-step';

const problemsOf = (type: typeof stepTypeNames extends () => (infer Name)[] ? Name : never) =>
  validateFlow({ start: 'new', steps: [newStep(type, 'new', stepSchemaOf(type))] }, { matrix: [] }).problems;

test('a new step of every type has its required fields, and only texts without a sensible default are empty', () => {
  const open = stepTypeNames().flatMap((type) => problemsOf(type).map(({ path }) => `${type} ${path}`));
  expect(open.toSorted()).toEqual([
    'browser /steps/0/actions/0/url',
    'database /steps/0/connection',
    'email /steps/0/from',
    'email /steps/0/server',
    'email /steps/0/to',
    'rest /steps/0/url',
  ]);
});

test('a change of the action of a browser step keeps the fields that both actions have', () => {
  const actions = fieldsOf(formOf(stepSchemaOf('browser'))).find(({ key }) => key === 'actions');
  const item = actions?.kind === 'list' ? actions.item : undefined;
  const fill = item?.kind === 'variants' ? item.variants.find(({ value }) => value === 'fill') : undefined;
  if (!fill) throw new Error('no such action');
  expect(toVariant({ action: 'click', selector: '#a', count: 2 }, fill.form)).toEqual({
    action: 'fill',
    selector: '#a',
    value: '',
  });
});
