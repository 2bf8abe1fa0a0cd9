import type { Connector } from '../connector';

/** The rows of such a step are its whole work. */
export const variablesConnector: Connector<'variables'> = { run: () => Promise.resolve() };
