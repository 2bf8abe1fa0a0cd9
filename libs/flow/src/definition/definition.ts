import type { FromSchema } from 'json-schema-to-ts';
import type { FLOW_SCHEMA } from './schema';

/**
 * What a process version contains: the steps of an automation and the routes between them. The type is derived from
 * FLOW_SCHEMA, which also says the limits; docs/flow.md explains every field.
 */
export type Flow = FromSchema<typeof FLOW_SCHEMA>;

export type Step = Flow['steps'][number];
export type StepType = Step['type'];
export type StepOf<Type extends StepType> = Extract<Step, { type: Type }>;
export type RestStep = StepOf<'rest'>;
export type WebhookResponseStep = StepOf<'webhookResponse'>;

/** A flow variable, or with `assign` a new value for an existing variable. */
export type Row = NonNullable<Step['rows']>[number];

/** The values of the fields that texts of a step declare as `{{name}}`, by the names of the fields. */
export type StepMapping = NonNullable<RestStep['mapping']>;
export type MappedField = StepMapping[string];

/**
 * Where the execution continues: at the step `to`. Without `to` it ends: terminated with `terminate`, otherwise without
 * error.
 */
export type Route = NonNullable<Step['routes']>[number];
