import { createElement, useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { CallError } from '../api/error';
import { i18n } from '../i18n/instance';
import { refusalText } from './refusal-text';

interface Form {
  getValues(): Record<string, unknown>;
  setFieldError(path: string, error: ReactNode): void;
}

/** Shows a refusal at the field that it names; false when the form has none, and the error must be shown elsewhere. */
export function applyError(form: Form, error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  const { field: named, translation } = error;
  if (!named || !Object.hasOwn(form.getValues(), named.path.split(/[.[]/, 1)[0] ?? '')) return false;
  const text = translation ?? (() => refusalText(named.text));
  form.setFieldError(named.path.replace(/\[(\d+)\]/g, '.$1'), createElement(Translated, { text }));
  return true;
}

/** Focuses the first field that the form refuses; the second argument of `form.onSubmit`. */
export function focusRefused(_errors: unknown, _values: unknown, event?: { target: EventTarget }): void {
  const form = event?.target;
  // The fields are marked by the next rendering.
  setTimeout(() => form instanceof Element && focusMarked(form));
}

/**
 * Focuses the first field that the API refuses, in the form around the element of the returned reference. An error that names no field
 * leaves the focus where it is.
 */
export function useFocusOfRefused(error: unknown): RefObject<HTMLDivElement | null> {
  const inForm = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const form = inForm.current?.closest('form, [role="form"]');
    if (form && error instanceof CallError && error.field) focusMarked(form);
  }, [error]);
  return inForm;
}

/** A `PasswordInput` of Mantine marks its field by another attribute. */
const REFUSED = '[aria-invalid="true"], input[data-invalid]';

function focusMarked(form: Element): void {
  form.querySelector<HTMLElement>(REFUSED)?.focus();
}

/**
 * A text that changes when the user changes the language, for what a form keeps, such as a result of its `validate`. `key` begins with its
 * namespace, which the screen has loaded.
 */
export function translated(key: string): ReactNode {
  return createElement(Translated, { text: () => i18n.t(key) });
}

function Translated({ text }: { text: () => string }) {
  useTranslation();
  return text();
}
