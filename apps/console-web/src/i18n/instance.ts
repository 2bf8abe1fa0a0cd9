import { createInstance } from 'i18next';

/** The one instance of the page; `startI18n` gives it the texts. */
export const i18n = createInstance();
