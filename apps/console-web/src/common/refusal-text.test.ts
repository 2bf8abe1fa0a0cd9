import english from './locales/en.json';
import {
  FULL_QUOTAS,
  INACTIVE_ACCOUNTS,
  LACKED_PERMISSIONS,
  MISSING_RESOURCES,
  REFUSAL_RULES,
  REFUSED_STATES,
  ruleOf,
} from './refusal-text';

test.each([
  ['is longer than 120 characters', { rule: 'tooLong', values: { a: '120' } }],
  ['must be a whole number from 1 to 3600', { rule: 'wholeRange', values: { a: '1', b: '3600' } }],
  ['"1,2,3" is not a number', { rule: 'number', values: { a: '"1,2,3"' } }],
  ['must be one of stop, pause, resume', { rule: 'oneOf', values: { a: 'stop, pause, resume' } }],
  ['must begin with https://', { rule: 'https', values: {} }],
  ['must be a whole number of the moon', undefined],
])('the rule that the refusal "%s" states is %p', (problem, rule) => {
  expect(ruleOf(problem)).toEqual(rule);
});

test('the English translations of refusals, refused states, full quotas, missing resources, lacked permissions and inactive accounts are what the API says', () => {
  expect(english.errors.rules).toEqual(REFUSAL_RULES);
  expect(english.errors.states).toEqual(REFUSED_STATES);
  expect(english.errors.quotas).toEqual(FULL_QUOTAS);
  expect(english.errors.missing).toEqual(MISSING_RESOURCES);
  expect(english.errors.lackedPermissions).toEqual(LACKED_PERMISSIONS);
  expect(english.errors.inactive).toEqual(INACTIVE_ACCOUNTS);
});
