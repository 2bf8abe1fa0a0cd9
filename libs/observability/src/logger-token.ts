/** Injection token of the service's Logger, which is an interface. */
export const LOGGER = Symbol('LOGGER');
