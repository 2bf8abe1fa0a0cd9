import { translatorOf } from '../../common/screen-rules';
import { i18n } from '../../i18n/instance';

/** What the API says about a cron expression; the texts `rules` have the same names and placeholders. */
export const CRON_RULES = {
  unknown: 'the field "{{a}}" holds what cron does not know',
  malformed: 'the field "{{a}}" has "{{b}}", which is no value, range or step',
  outside: 'the field "{{a}}" takes {{b}} to {{c}}, not {{d}}',
  backwards: 'the field "{{a}}" has the range "{{b}}", which begins after its end',
  noStep: 'Syntax error, illegal stepping: 0',
  longStep: 'Syntax error, steps cannot be greater than maximum value of part ({{a}})',
  stepOfValue:
    "Syntax error, stepping with numeric prefix ('{{a}}') is not allowed. Use wildcard (*/step) or range (min-max/step) instead.",
  names: "Syntax error, a month or day name has to stand alone ('{{a}}').",
};

/** The names of the fields in the texts `fields`. */
const FIELDS: Record<string, string> = {
  minute: 'minute',
  hour: 'hour',
  'day of month': 'dayOfMonth',
  month: 'month',
  'day of week': 'dayOfWeek',
};

export const throwTranslated = translatorOf(CRON_RULES, (rule, { a = '', ...values }) => {
  const field = FIELDS[a];
  return i18n.t(`schedules:rules.${rule}`, { a: field ? i18n.t(`schedules:fields.${field}`) : a, ...values });
});
