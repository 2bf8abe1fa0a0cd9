import { isStep, type DraftStep } from '../../../flow/draft';
import { fieldsOf, formOf, type FormField } from './form-model';

/** Fields of a new step by its type, where the schema gives no useful value. */
const INITIAL_FIELDS: Readonly<Record<string, Record<string, unknown>>> = {
  wait: { seconds: 5 },
  script: { code: 'return 1' },
  email: { text: '' },
  database: { sql: 'SELECT 1' },
  webhookResponse: { code: 200, body: '{}' },
  variables: { rows: [{ name: 'value', mode: 'Fixo', value: '' }] },
};

/** A new step of a type, with a value for every field that its JSON Schema requires and for its INITIAL_FIELDS. */
export function newStep(type: string, name: string, schema: unknown): DraftStep {
  const required = fieldsOf(formOf(schema)).filter((field) => field.required);
  const initial = Object.fromEntries(required.map((field) => [field.key, initialValueOf(field)]));
  const step = { ...initial, ...INITIAL_FIELDS[type], name, type };
  return isStep(step) ? step : { name, type };
}

/** The first value of a field that is added in a form. */
export function initialValueOf(field: FormField): unknown {
  if (field.default !== undefined) return field.default;
  switch (field.kind) {
    case 'number':
      return field.minimum ?? 0;
    case 'boolean':
      return true;
    case 'choice':
      return field.options[0] ?? null;
    case 'constant':
      return field.value;
    case 'object':
      return Object.fromEntries(
        field.fields.filter(({ required }) => required).map((each) => [each.key, initialValueOf(each)]),
      );
    case 'entries':
      return {};
    case 'list':
      return Array.from({ length: field.minItems }, () => initialValueOf(field.item));
    case 'variants':
      return field.variants[0] ? initialValueOf(field.variants[0].form) : {};
    case 'text':
    case 'texts':
    case 'json':
    default:
      return '';
  }
}

/** Converts an object to another variant, with its required fields; fields that both variants have keep their values, others are removed. */
export function toVariant(value: unknown, variant: FormField): unknown {
  const initial = Object(initialValueOf(variant));
  const known = new Set(fieldsOf(variant).map(({ key }) => key));
  const constants = new Set(fieldsOf(variant).flatMap(({ key, kind }) => (kind === 'constant' ? [key] : [])));
  const kept = Object.entries(Object(value)).filter(([key]) => known.has(key) && !constants.has(key));
  return { ...initial, ...Object.fromEntries(kept) };
}
