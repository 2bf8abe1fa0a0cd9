import { FLOW_LIMITS, listSchema, refTo } from './schema-parts';
// The files of step types must not import the types in definition.ts, which derive from the schema: the schema is built from these files.

export const STEP_CATEGORIES = ['Automation', 'Web', 'Data', 'Messages'] as const;

/** The group under which an editor offers a step type. */
export type StepCategory = (typeof STEP_CATEGORIES)[number];

/**
 * How the references in a field of a step are written: `text` = a template, `expression` = a formula or condition, `script` = a
 * function body, `response` = JSON with `{{name}}`, `literal` = text without references.
 */
export type ReferenceSyntax = 'text' | 'expression' | 'script' | 'response' | 'literal';

/**
 * The facts about a step type for editors, agents and validation: the ability that it needs, and the automatic variables that it
 * sets (contract 2.12, interpretation 53).
 */
export interface StepTypeFacts {
  category: StepCategory;
  /** The ability that an agent announces when it runs this type. */
  ability: string;
  /** The value of `{name}` for `as: name`: none, any value, or an object with the listed fields. */
  result: 'none' | 'any' | readonly string[];
  /** Further variables below the result's name, such as `FILE` for `{name.FILE}`; each is one of AUTOMATIC_PARTS. */
  parts: readonly string[];
  /** The names of the variables that the step sets under `{connector.…}`. */
  connector: readonly string[];
  /** The syntax of each field that may have references; for a list or an object it applies to every text inside. */
  references: Readonly<Record<string, ReferenceSyntax>>;
}

/** The parts of results that the contract names; a step type sets only those that its facts list. */
export const AUTOMATIC_PARTS = ['FILE', 'BUFFER', 'OCR', 'evidence', 'evidence_BUFFER'] as const;

/** The facts of a step type that sets no part and no variable under `{connector.…}`. */
export const NO_PARTS = { parts: [], connector: [] } as const;

const commonFields = {
  /** Unique in the flow; routes, log lines and `{stepName}` use it. */
  name: refTo('name'),
  /** Name of the automatic variable that receives the step's result. */
  as: refTo('name'),
  /** Flow variables, evaluated before the step's action (contract 2.12). */
  rows: listSchema(refTo('row'), FLOW_LIMITS.rows),
  /** A script whose result becomes `{stepValidation}`. */
  validation: refTo('code'),
  /** The first route whose condition holds is taken; without one the execution ends without error. */
  routes: listSchema(refTo('route'), FLOW_LIMITS.routes),
  /** Routes of a step that failed; without a match the execution ends in error. */
  onError: listSchema(refTo('route'), FLOW_LIMITS.routes),
} as const;

/**
 * Builds the schema of a step type. Unknown fields are refused, so that a misspelled one is a problem instead of being
 * ignored.
 */
export function stepSchema<const Type extends string, const Fields, const Required extends readonly string[]>(
  type: Type,
  facts: StepTypeFacts,
  required: Required,
  fields: Fields,
) {
  return {
    type: 'object',
    properties: { ...commonFields, type: { const: type, description: describeFacts(facts) }, ...fields },
    required: ['name', 'type', ...required],
    additionalProperties: false,
  } as const;
}

/** A sentence or two about a step type, for editors and documentation. */
export function describeFacts({ ability, result, parts, connector }: StepTypeFacts): string {
  const runs = `Needs an agent with the ability "${ability}".`;
  const fields = typeof result === 'string' ? '' : ` with ${result.join(', ')}`;
  const given = [
    ...(result === 'none' ? [] : [`{as}${fields}`]),
    ...parts.map((part) => `{as.${part}}`),
    ...connector.map((name) => `{connector.${name}}`),
  ];
  return given.length === 0 ? `${runs} Gives no automatic variable.` : `${runs} Gives ${given.join(', ')}.`;
}
