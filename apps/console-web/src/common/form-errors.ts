import { CallError } from '../api/error';
import { refusalText } from './refusal-text';

interface Form {
  getValues(): Record<string, unknown>;
  setFieldError(path: string, error: string): void;
}

/** Shows a refusal at the field that it names; false when the form has none, and the error must be shown elsewhere. */
export function applyError(form: Form, error: unknown): boolean {
  const named = error instanceof CallError ? error.field : undefined;
  if (!named || !Object.hasOwn(form.getValues(), named.path.split(/[.[]/, 1)[0] ?? '')) return false;
  form.setFieldError(named.path.replace(/\[(\d+)\]/g, '.$1'), refusalText(named.text));
  return true;
}
