import { Modal, type ModalProps } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

/** The window of every dialog, which gives the focus back when it closes. */
export function ModalWindow(props: ModalProps) {
  const { t } = useTranslation();
  useFocusReturn(props.opened);
  return (
    <Modal
      closeButtonProps={{ 'aria-label': t('actions.close') }}
      {...props}
      returnFocus={false}
      styles={{ title: { fontWeight: 600 } }}
    />
  );
}

interface FocusReturn {
  /** The elements that had the focus before each of the dialogs that close at once. */
  before: (Element | null)[];
  timer: ReturnType<typeof setTimeout>;
}

/** Set from the closing of a dialog until the focus is given back: a dialog that opens meanwhile, such as one that shows a result, takes it over. */
let pending: FocusReturn | undefined;

/**
 * Gives the focus back to the element that had it before the dialog, or to the page when the element is gone or disabled. Mantine forgets the
 * element when a dialog is open from its first render or leaves the page at once.
 */
function useFocusReturn(opened: boolean): void {
  useEffect(() => {
    if (!opened) return undefined;
    const before = takePending().findLast(isOnPage) ?? document.activeElement;
    return () => {
      const all = [...takePending(), before];
      const atClose = document.activeElement;
      const timer = setTimeout(() => {
        pending = undefined;
        const isUnclaimed = [document.body, atClose].includes(document.activeElement);
        if (isUnclaimed) focusAgain(all.findLast(isOnPage));
      });
      pending = { before: all, timer };
    };
  }, [opened]);
}

function takePending(): FocusReturn['before'] {
  const { before = [], timer } = pending ?? {};
  clearTimeout(timer);
  pending = undefined;
  return before;
}

const isOnPage = (element: Element | null) => element?.isConnected === true;

function focusAgain(before: Element | null | undefined): void {
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (before === document.body || document.activeElement === before) return;
  document.querySelector('main')?.focus({ preventScroll: true });
}
