import type { Connector } from '../connector';

/** A step of type `variables` has no action: its rows are its whole work. */
export const variablesConnector: Connector<'variables'> = { run: () => Promise.resolve() };
