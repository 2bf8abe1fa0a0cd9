import { createContext } from 'react';

/** The context of a function that tells the dialog around a secret whether the secret is shown; outside of a dialog it does nothing. */
export const SecretInDialog = createContext<(isShown: boolean) => void>(() => undefined);
