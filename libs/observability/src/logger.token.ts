/** Injects the service's Logger, which is an interface and so needs a token. */
export const LOGGER = Symbol('LOGGER');
