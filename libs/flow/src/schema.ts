/** JSON Schema (2020-12) of a flow definition. */
export const FLOW_SCHEMA: Record<string, unknown> = {};
