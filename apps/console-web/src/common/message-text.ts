import { CallError } from '../api/error';
import { i18n } from '../i18n/instance';
import { MISSING_THINGS, refusalText } from './refusal-text';

/** The message of an error in the user's language, as far as its refusal states a known rule. The name of a field stays. */
export function errorText({ message, field, translation }: CallError): string {
  return field && translation ? `${field.path}: ${translation()}` : messageText(message);
}

/** The message of a refusal in the user's language, or as the API wrote it if it states no known rule. The name of a field stays. */
export function messageText(message: string): string {
  const { field } = new CallError(400, 'BAD_REQUEST', message);
  if (field) return `${field.path}: ${refusalText(field.text)}`;
  const missing = Object.entries(MISSING_THINGS).find(([, text]) => text === message);
  return missing ? i18n.t(`errors.missing.${missing[0]}`) : message;
}
