import { translatorOf } from '../../common/screen-refusals';
import { i18n } from '../../i18n/instance';

/** What the API says about a cron expression; the texts `rules` have the same names and placeholders. */
export const CRON_REFUSALS = {
  // `malformedName` is before `malformed`, because its texts match the pattern of `malformed` too.
  malformedName:
    'the field "{{a}}" has "{{b}}"; it takes {{c}} to {{d}} or {{e}} to {{f}} in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas',
  malformed:
    'the field "{{a}}" has "{{b}}"; it takes {{c}} to {{d}} in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas',
  outside: 'the field "{{a}}" takes {{b}} to {{c}}, not {{d}}',
  backwards: 'the field "{{a}}" has the range "{{b}}", which begins after its end',
  step: 'the field "{{a}}" has the step {{b}}, which is not from {{c}} to {{d}}',
  stepOfValue: 'the field "{{a}}" has "{{b}}", whose step follows neither * nor a range',
};

/** By the name of a field in a refusal, the name of its text in `fields`. */
const FIELDS: Record<string, string> = {
  minute: 'minute',
  hour: 'hour',
  'day of month': 'dayOfMonth',
  month: 'month',
  'day of week': 'dayOfWeek',
};

/** Throws the error of a call again, with a translation if it is one of these refusals. */
export const throwTranslated = translatorOf(CRON_REFUSALS, (rule, { a = '', ...values }) => {
  const field = FIELDS[a];
  return i18n.t(`schedules:rules.${rule}`, { a: field ? i18n.t(`schedules:fields.${field}`) : a, ...values });
});
