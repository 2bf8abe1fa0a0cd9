import { CallError } from '../api/error';
import { i18n } from '../i18n/instance';
import { fieldName } from './field-name';
import { missingAbilitiesText } from './missing-abilities';
import {
  FULL_QUOTAS,
  INACTIVE_ACCOUNTS,
  LACKED_PERMISSIONS,
  MISSING_RESOURCES,
  patternsOf,
  REFUSED_STATES,
  refusalText,
  ruleOf,
} from './refusal-text';

const STATES = patternsOf(REFUSED_STATES);
const QUOTAS = patternsOf(FULL_QUOTAS);
/**
 * Codes whose messages are not shown: beyond the text of the code they have only what the page shows already, such as the status of a run, or
 * the browser's error of a call without an answer.
 */
const CODES_WITHOUT_DETAIL = ['UNREACHABLE', 'INSTANCE_FINISHED', 'INSTANCE_UNRESOLVED'];

/**
 * The message of an error, in the user's language where the refusal states a known rule. `labels` = the labels of the form's fields, by the
 * names of the fields in the API.
 */
export function errorText({ message, field, translation }: CallError, labels: Record<string, string> = {}): string {
  if (!field) return messageText(message, labels);
  return `${fieldName(field.path, labels)}: ${translation?.() ?? refusalText(field.text)}`;
}

/**
 * What an error message says below the text of the code; undefined where that text says everything, as it does about a missing process, run
 * or schedule, and about a run that has ended.
 */
export function detailText(error: CallError, labels?: Record<string, string>): string | undefined {
  const isSaidByCode =
    error.message === '' || CODES_WITHOUT_DETAIL.includes(error.code) || error.code.endsWith('_NOT_FOUND');
  return isSaidByCode ? undefined : errorText(error, labels);
}

/**
 * The message of a refusal in the user's language, or as the API wrote it if it states no known rule. A field has its label, or else its name:
 * also refusals with another status than 400 name a field.
 */
export function messageText(message: string, labels: Record<string, string> = {}): string {
  const { field } = new CallError(400, 'BAD_REQUEST', message);
  if (field) return `${fieldName(field.path, labels)}: ${refusalText(field.text)}`;
  const state = ruleOf(message, STATES);
  if (state) return stateText(state) ?? message;
  const quota = ruleOf(message, QUOTAS);
  if (quota) return i18n.t(`errors.quotas.${quota.rule}`, quota.values);
  const nameIn = (texts: Record<string, string>) => Object.keys(texts).find((name) => texts[name] === message);
  const missing = nameIn(MISSING_RESOURCES);
  if (missing !== undefined) return i18n.t(`errors.missing.${missing}`);
  const lacked = nameIn(LACKED_PERMISSIONS);
  if (lacked !== undefined) return i18n.t(`errors.lackedPermissions.${lacked}`);
  const inactive = nameIn(INACTIVE_ACCOUNTS);
  return inactive === undefined ? message : i18n.t(`errors.inactive.${inactive}`);
}

/** Undefined for agents that lack an ability which this page does not know: the sentence would be in two languages. */
function stateText({ rule, values }: { rule: string; values: Record<string, string> }): string | undefined {
  const { a = '' } = values;
  if (rule === 'role') return i18n.t('errors.states.role', { a: i18n.t(`errors.roles.${a}`, { defaultValue: a }) });
  if (rule !== 'lacking') return i18n.t(`errors.states.${rule}`, values);
  const abilities = missingAbilitiesText(a);
  return abilities === undefined ? undefined : i18n.t('errors.states.lacking', { a: abilities });
}
