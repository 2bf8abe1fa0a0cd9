/** For each OpenAPI document the arguments of node that generate its types in libs/client. */
export const GENERATE_COMMANDS: string[][];
