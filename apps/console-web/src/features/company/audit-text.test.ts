import { COMPANY_ACTIONS, managementAction } from './audit-actions';
import { actorText, eventDetailText } from './audit-text';
import english from './locales/en.json';
import portuguese from './locales/pt-BR.json';

const BIA = {
  kind: 'person' as const,
  accountID: 'a',
  name: 'Bia',
  email: 'bia@example.com',
  credentialID: null,
  label: '',
};

test('the detail of an audit event is one line of plain text with its items and the words of the product translated', () => {
  const nameOf = (item: string) => (item === 'name' ? 'nome' : item);
  const wordOf = (word: string) => ({ paused: 'pausa', none: 'nenhuma' })[word] ?? word;
  const textOf = (detail: Parameters<typeof eventDetailText>[0]) => eventDetailText(detail, nameOf, wordOf);
  expect(textOf({ name: '<b>paused</b>', changed: ['paused', 'later'] })).toBe(
    'nome: <b>paused</b>; changed: pausa, later',
  );
  expect(textOf({ name: 'paused', permissions: [] })).toBe('nome: paused; permissions: nenhuma');
  expect(textOf({})).toBe('');
});

test('the detail `paused` of an audit event is named as the pause of schedules', () => {
  const textIn = ({ words }: { words: Record<string, string> }) =>
    eventDetailText(
      { changed: ['paused'] },
      (item) => item,
      (word) => words[word] ?? word,
    );
  expect(textIn(portuguese.audit)).toBe('changed: pausa dos agendamentos');
  expect(textIn(english.audit)).toBe('changed: pause of schedules');
});

test('the actor of an audit event is shown by its name, an account of another company by its address, a credential with its label', () => {
  expect(actorText(BIA)).toBe('Bia');
  expect(actorText({ ...BIA, name: '' })).toBe('bia@example.com');
  expect(actorText({ ...BIA, kind: 'credential', label: 'ERP' })).toBe('Bia (ERP)');
});

test('an action of the audit filter that does not exist counts as none', () => {
  expect(managementAction('flow.save')).toBe('flow.save');
  expect(managementAction('toString')).toBeUndefined();
  expect(COMPANY_ACTIONS).not.toContain('plan.add');
});
