import { createContext } from 'react';

/** Tells the dialog around a secret whether the secret is shown. */
export const SecretInDialog = createContext<(isShown: boolean) => void>(() => undefined);
