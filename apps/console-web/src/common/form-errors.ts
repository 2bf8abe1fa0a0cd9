import { createElement, useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { CallError } from '../api/error';
import { i18n } from '../i18n/instance';
import { errorsThatMayMoveFocus } from './focus-at-submit';
import { refusalText } from './refusal-text';

interface Form {
  getValues(): Record<string, unknown>;
  setFieldError(path: string, error: ReactNode): void;
}

/**
 * Shows a refusal at the field that it names. Returns false, and shows nothing, when the error names no field of the form; the caller shows
 * it elsewhere.
 */
export function applyError(form: Form, error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  const { field: named, translation } = error;
  if (!named || !Object.hasOwn(form.getValues(), named.path.split(/[.[]/, 1)[0] ?? '')) return false;
  const text = translation ?? (() => refusalText(named.text));
  form.setFieldError(named.path.replace(/\[(\d+)\]/g, '.$1'), createElement(Translated, { text }));
  return true;
}

/** Focuses the first field that the form marks; the second argument of `form.onSubmit`. */
export function focusRefused(_errors: unknown, _values: unknown, event?: { target: EventTarget }): void {
  if (event) focusMarkedIn(event.target);
}

/** Focuses the first field of the form that the next rendering marks. */
export function focusMarkedIn(form: EventTarget): void {
  setTimeout(() => form instanceof Element && focusMarked(form));
}

/**
 * When the API refuses a field, focuses the first field that is marked in the form around the alert of the returned reference. An error that
 * names no field, or that arrives after the user has moved on, leaves the focus where it is.
 */
export function useFocusOfRefused(error: unknown): RefObject<HTMLDivElement | null> {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const form = alert.current?.closest('form, [data-form]');
    if (form && error instanceof CallError && error.field && errorsThatMayMoveFocus.has(error)) focusMarked(form);
  }, [error]);
  return alert;
}

function focusMarked(form: Element): void {
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

/**
 * A text that changes when the user changes the language, for what a form keeps, such as a result of its `validate`. `key` begins with its
 * namespace, which the screen has loaded.
 */
export function translatedText(key: string): ReactNode {
  return createElement(Translated, { text: () => i18n.t(key) });
}

/** A `validate` function of a form, for a field that must have a value: the error text, or null. White space counts as a value. */
export const required = (value: string | number) => (value === '' ? translatedText('common:fields.missing') : null);

/** A `validate` function for an e-mail address; it finds only obvious mistakes, because the API decides whether it accepts the address. */
export const emailAddress = (value: string) =>
  /^\S+@\S+$/.test(value.trim()) ? null : translatedText('common:fields.email');

/** The error text of a field whose date and time are incomplete, or null: the browser then gives the field no value, as if it were empty. */
export const completeDate = (field: HTMLInputElement | null) =>
  field?.validity.badInput ? translatedText('common:fields.date') : null;

function Translated({ text }: { text: () => string }) {
  useTranslation();
  return text();
}
