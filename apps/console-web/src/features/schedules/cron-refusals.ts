import { translatorOf } from '../../common/screen-refusals';
import { i18n } from '../../i18n/instance';

/** What the API says about a cron expression; the texts `rules` have the same names and placeholders. */
export const CRON_REFUSALS = {
  // The rule with names is first, because the texts of the other one match it too.
  malformedName:
    'the field "{{a}}" has "{{b}}"; it takes {{c}} to {{d}} or {{e}} to {{f}} in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas',
  malformed:
    'the field "{{a}}" has "{{b}}"; it takes {{c}} to {{d}} in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas',
  outside: 'the field "{{a}}" takes {{b}} to {{c}}, not {{d}}',
  backwards: 'the field "{{a}}" has the range "{{b}}", which begins after its end',
  step: 'the field "{{a}}" has the step {{b}}, which is not from {{c}} to {{d}}',
  stepOfValue: 'the field "{{a}}" has "{{b}}", whose step follows neither * nor a range',
};

/** The names of the fields in the texts `fields`. */
const FIELDS: Record<string, string> = {
  minute: 'minute',
  hour: 'hour',
  'day of month': 'dayOfMonth',
  month: 'month',
  'day of week': 'dayOfWeek',
};

export const throwTranslated = translatorOf(CRON_REFUSALS, (rule, { a = '', ...values }) => {
  const field = FIELDS[a];
  return i18n.t(`schedules:rules.${rule}`, { a: field ? i18n.t(`schedules:fields.${field}`) : a, ...values });
});
