/** Arguments of node for the generator of the client's types. */
export const GENERATE: string[];
