import { COMPANY_ACTIONS, managementAction } from './audit-actions';
import { actorText, detailText } from './audit-text';

const BIA = {
  kind: 'person' as const,
  accountID: 'a',
  name: 'Bia',
  email: 'bia@example.com',
  credentialID: null,
  label: '',
};

test('a detail is one line of plain text with the names of its items translated', () => {
  const nameOf = (item: string) => (item === 'name' ? 'nome' : item);
  expect(detailText({ name: '<b>Orders</b>', changed: ['paused', 'name'] }, nameOf)).toBe(
    'nome: <b>Orders</b>; changed: paused, name',
  );
  expect(detailText({}, nameOf)).toBe('');
});

test('an actor is shown by its name, an account of another company by its address, a credential with its label', () => {
  expect(actorText(BIA)).toBe('Bia');
  expect(actorText({ ...BIA, name: '' })).toBe('bia@example.com');
  expect(actorText({ ...BIA, kind: 'credential', label: 'ERP' })).toBe('Bia (ERP)');
});

test('an action in the address that does not exist counts as none', () => {
  expect(managementAction('flow.save')).toBe('flow.save');
  expect(managementAction('toString')).toBeUndefined();
  expect(COMPANY_ACTIONS).not.toContain('plan.add');
});
