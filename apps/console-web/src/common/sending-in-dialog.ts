import { createContext, useContext, useLayoutEffect } from 'react';

/** The context of a function that tells the dialog around a form whether the form is being sent; outside of a dialog it does nothing. */
export const SendingInDialog = createContext<(isSending: boolean) => void>(() => undefined);

/**
 * Keeps the dialog around the component open while a call is under way: after the dialog has closed nobody would see the error or the
 * secret that the call answers.
 */
export function useDialogStaysWhile(isSending: boolean): void {
  const setSending = useContext(SendingInDialog);
  useLayoutEffect(() => {
    setSending(isSending);
    return () => setSending(false);
  }, [setSending, isSending]);
}
