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

/** An element that had the focus before a dialog, and the element around it, such as the group of its buttons. */
interface Opener {
  element: Element | null;
  around: Element | null;
}

interface FocusReturn {
  /** The openers of the dialogs that have closed, for which the focus is not given back yet. */
  openers: Opener[];
  timer: ReturnType<typeof setTimeout>;
}

/**
 * Set from the closing of a dialog until the focus is given back. A dialog that opens meanwhile, such as one that shows a result, takes the
 * openers over and gives the focus back to them when it closes.
 */
let pendingReturn: FocusReturn | undefined;

/**
 * Gives the focus back to the element that had it before the dialog. When that element is gone or disabled, a control that is left beside it gets the
 * focus, or else the page. Mantine forgets the element when a dialog is open from its first render, or leaves the page without closing first.
 */
function useFocusReturn(opened: boolean): void {
  useEffect(() => {
    if (!opened) return undefined;
    const opener = takePending().findLast(isOnPage) ?? openerAt(document.activeElement);
    return () => {
      const openers = [...takePending(), opener];
      const atClose = document.activeElement;
      const timer = setTimeout(() => {
        pendingReturn = undefined;
        const isUnclaimed = [document.body, atClose].includes(document.activeElement);
        if (isUnclaimed) focusAgain(openers);
      });
      pendingReturn = { openers, timer };
    };
  }, [opened]);
}

function takePending(): Opener[] {
  const { openers = [], timer } = pendingReturn ?? {};
  clearTimeout(timer);
  pendingReturn = undefined;
  return openers;
}

const openerAt = (element: Element | null): Opener => ({ element, around: element?.parentElement ?? null });
const isOnPage = ({ element }: Opener) => element?.isConnected === true;

function focusAgain(openers: readonly Opener[]): void {
  const before = openers.findLast(isOnPage)?.element;
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (before && [document.body, document.activeElement].includes(before)) return;
  const around = openers.findLast(({ around: group }) => group?.isConnected)?.around;
  const beside = around?.querySelector<HTMLElement>('button:not(:disabled), a[href]') ?? document.querySelector('main');
  beside?.focus({ preventScroll: true });
}
