import { CallError } from '../api/error';
import { refusalText } from './refusal-text';

/** A refusal that an answer of the API has as a text, such as `total: is required`: after the field's name in the user's language. */
export function messageText(message: string): string {
  const { field } = new CallError(400, 'BAD_REQUEST', message);
  return field ? `${field.path}: ${refusalText(field.text)}` : message;
}
