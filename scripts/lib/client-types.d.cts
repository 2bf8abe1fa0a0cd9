/** Arguments for node: the generator of the client's types, with this project's paths and choices. */
export const GENERATE: string[];
