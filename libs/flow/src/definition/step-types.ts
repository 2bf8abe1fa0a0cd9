// This file imports no type of the definition: the schema, from which those types derive, is built with it.

/** What a step type needs in order to run, and which automatic variables it gives (contract 2.12, interpretation 53). */
export interface StepTypeFacts {
  /** The ability that an agent announces when it runs this type; null = no shipped runtime runs it yet. */
  ability: string | null;
  /** The value of `{name}` for `as: name`: none, one of fixed fields, or any value that the author's code returns. */
  result: 'none' | 'any' | readonly string[];
  /** Parts of the result beside it, such as `{name.FILE}`; one of AUTOMATIC_PARTS each. */
  parts: readonly string[];
  /** Names under `{connector.…}`. */
  connector: readonly string[];
}

/** The parts of results that the contract names; only a step type that lists one gives it. */
export const AUTOMATIC_PARTS = ['FILE', 'BUFFER', 'OCR', 'evidence', 'evidence_BUFFER'] as const;

const NO_PARTS = { parts: [], connector: [] } as const;

/**
 * Every step type. Publication, the schema's descriptions and the table in docs/flow.md follow it, and a test of the agent
 * compares its runners with it: a connector becomes publishable with its entry here and its runner there.
 */
export const STEP_TYPES = {
  variables: { ability: 'variables', result: 'none', ...NO_PARTS },
  script: { ability: 'script', result: 'any', ...NO_PARTS },
  rest: { ability: 'rest', result: ['status', 'headers', 'body'], ...NO_PARTS },
  database: { ability: null, result: 'any', parts: [], connector: ['affectedRows', 'rowCount', 'insertId'] },
  email: { ability: null, result: 'any', parts: [], connector: ['messageId', 'accepted', 'rejected'] },
  browser: { ability: null, result: 'any', parts: AUTOMATIC_PARTS, connector: [] },
  wait: { ability: 'wait', result: 'none', ...NO_PARTS },
  webhookResponse: { ability: 'webhookResponse', result: 'none', ...NO_PARTS },
} as const satisfies Record<string, StepTypeFacts>;

export type StepTypeName = keyof typeof STEP_TYPES;

export function factsOf(type: StepTypeName): StepTypeFacts {
  return STEP_TYPES[type];
}

export function stepTypeNames(): StepTypeName[] {
  const names: string[] = Object.keys(STEP_TYPES);
  return names.filter((name): name is StepTypeName => name in STEP_TYPES);
}

/** A sentence or two about a type, for editors and documentation. */
export function describeStepType(type: StepTypeName): string {
  const { ability, result, parts, connector } = factsOf(type);
  const runs =
    ability === null
      ? 'No shipped runtime runs this type yet: a flow with such a step is not published.'
      : `Needs an agent with the ability "${ability}".`;
  const fields = typeof result === 'string' ? '' : ` with ${result.join(', ')}`;
  const given = [
    ...(result === 'none' ? [] : [`{as}${fields}`]),
    ...parts.map((part) => `{as.${part}}`),
    ...connector.map((name) => `{connector.${name}}`),
  ];
  return given.length === 0 ? `${runs} Gives no automatic variable.` : `${runs} Gives ${given.join(', ')}.`;
}
