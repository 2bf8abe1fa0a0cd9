import type { ReactNode } from 'react';
import { i18n } from '../i18n/instance';
import { ErrorDetails } from './error-message';
import { importOrReport } from '../load-failures';

/** Shows the error of a failed change, for a page that has no place for the error. */
export function showErrorNotification(error: unknown): void {
  // An error that disappears by itself may be missed.
  void show({ color: 'red', title: i18n.t('errors.title'), message: <ErrorDetails error={error} />, autoClose: false });
}

/**
 * Long enough for somebody who reads slowly or looks elsewhere; the time stops while the pointer is on the
 * notification.
 */
const READING_TIME_MS = 10_000;

/** Shows a notification of a change that is not visible on the page. */
export function showSuccessNotification(message: string): void {
  void show({ color: 'brand', message, autoClose: READING_TIME_MS });
}

/** Shows a notification that the page refused an action, or did less than the user may expect, and nothing is lost. */
export function showRefusalNotification(message: string): void {
  void show({ color: 'orange', message, autoClose: READING_TIME_MS });
}

let prepare: (() => void) | undefined;

/**
 * Registers the function that is called before each notification: the first call makes the page load the component that shows notifications. A
 * later registration replaces the earlier one.
 */
export function beforeNotification(listener: () => void): void {
  prepare = listener;
}

async function show(notification: { color: string; title?: string; message: ReactNode; autoClose: number | false }) {
  prepare?.();
  // If the notification center does not load, `importOrReport` shows a notice.
  const center = await importOrReport(import('./notification-center')).catch(() => undefined);
  center?.notifications.show({ ...notification, closeButtonProps: { 'aria-label': i18n.t('actions.close') } });
}
