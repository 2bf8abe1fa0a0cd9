import { isRecord } from '../../../flow/draft';

/** The kinds of form fields, each with the limits that its form needs. */
export type FieldKind =
  | { kind: 'text'; maxLength: number | undefined; isLong: boolean }
  | {
      kind: 'number';
      isInteger: boolean;
      minimum: number | undefined;
      maximum: number | undefined;
    }
  | { kind: 'boolean' }
  | { kind: 'choice'; options: (string | number | null)[] }
  /** A field that has no input, because its schema allows only this value. */
  | { kind: 'constant'; value: unknown }
  | { kind: 'object'; fields: FormField[] }
  /** An object with keys of the author's own, each with the same kind of value. */
  | { kind: 'entries'; value: FormField; maxEntries: number | undefined }
  | {
      kind: 'list';
      item: FormField;
      minItems: number;
      maxItems: number | undefined;
    }
  /**
   * An object with variants: the value of one field, such as the `action` of a browser step, decides which other fields it has.
   */
  | {
      kind: 'variants';
      discriminator: string;
      variants: { value: string; form: FormField }[];
    }
  /** A field with one text or a list of texts. */
  | { kind: 'texts'; maxLength: number | undefined }
  /** A field that is edited as JSON text, because any value is allowed or because the forms do not support its schema. */
  | { kind: 'json'; reason: 'any-value' | 'not-understood' };

/** A field of a form, derived from the JSON Schema of a step type. */
export type FormField = FieldKind & {
  /** Name of the field in its object; empty for items of lists, values of entries, variants and the whole form. */
  key: string;
  required: boolean;
  description: string | undefined;
  examples: unknown[];
  /** The value that the schema names for an absent field, which a new field gets; undefined when it names none. */
  default: unknown;
};

/** A text field gets several lines when it has no maximum length, or one above this number of characters. */
const LONG_TEXT = 8_000;
/** Deeper fields are edited as JSON, which ends a schema that refers to itself. */
const MAX_DEPTH = 12;

interface SchemaContext {
  /** The whole schema, to which `$ref` refers. */
  root: unknown;
  depth: number;
}

/** The form of a step type, derived from its JSON Schema, which `connectorsQuery` reads. It includes the fields that all types have. */
export function formOf(schema: unknown): FormField {
  return fieldOf(schema, '', true, { root: schema, depth: 0 });
}

/** The fields of an object; none for any other kind of field. */
export function fieldsOf(form: FormField): FormField[] {
  return form.kind === 'object' ? form.fields : [];
}

function fieldOf(given: unknown, key: string, required: boolean, context: SchemaContext): FormField {
  const schema = resolveSchema(given, context);
  const kind: FieldKind =
    schema === undefined || context.depth > MAX_DEPTH
      ? { kind: 'json', reason: 'not-understood' }
      : kindOf(schema, { ...context, depth: context.depth + 1 });
  return {
    ...kind,
    key,
    required,
    description: typeof schema?.description === 'string' ? schema.description : undefined,
    examples: Array.isArray(schema?.examples) ? schema.examples : [],
    default: schema?.default,
  };
}

/** The schema itself, or the one in `$defs` that its `$ref` names with the schema's own keywords added; undefined for any other reference. */
function resolveSchema(schema: unknown, { root }: SchemaContext): Record<string, unknown> | undefined {
  if (!isRecord(schema)) return undefined;
  if (schema.$ref === undefined) return schema;
  const reference = typeof schema.$ref === 'string' ? schema.$ref : '';
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  const defs = isRecord(root) ? root.$defs : undefined;
  const target = name !== undefined && isRecord(defs) && Object.hasOwn(defs, name) ? defs[name] : undefined;
  if (!isRecord(target) || target.$ref !== undefined) return undefined;
  const { $ref: _ref, ...own } = schema;
  return { ...target, ...own };
}

function kindOf(schema: Record<string, unknown>, context: SchemaContext): FieldKind {
  if ('const' in schema) return { kind: 'constant', value: schema.const };
  if (Array.isArray(schema.enum)) return choiceOf(schema.enum);
  if (Array.isArray(schema.oneOf)) return variantsOf(schema, schema.oneOf, context);
  switch (schema.type) {
    case 'string': {
      const maxLength = numberOf(schema.maxLength);
      return {
        kind: 'text',
        maxLength,
        isLong: maxLength === undefined || maxLength > LONG_TEXT,
      };
    }
    case 'integer':
    case 'number': {
      const [minimum, maximum] = [numberOf(schema.minimum), numberOf(schema.maximum)];
      return {
        kind: 'number',
        isInteger: schema.type === 'integer',
        minimum,
        maximum,
      };
    }
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return {
        kind: 'list',
        item: fieldOf(schema.items, '', true, context),
        minItems: numberOf(schema.minItems) ?? 0,
        maxItems: numberOf(schema.maxItems),
      };
    case 'object':
      return objectOf(schema, context);
    case undefined:
      return alternativesOf(schema, context);
    default:
      return { kind: 'json', reason: 'not-understood' };
  }
}

/**
 * Ignores `anyOf` and `not` of a whole object: they are rules between fields, which the check of the console reports.
 */
function objectOf(schema: Record<string, unknown>, context: SchemaContext): FieldKind {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  if (isRecord(schema.properties)) {
    const fields = Object.entries(schema.properties).map(([key, field]) =>
      fieldOf(field, key, required.has(key), context),
    );
    return { kind: 'object', fields };
  }
  if (!isRecord(schema.additionalProperties)) return { kind: 'json', reason: 'any-value' };
  return {
    kind: 'entries',
    value: fieldOf(schema.additionalProperties, '', true, context),
    maxEntries: numberOf(schema.maxProperties),
  };
}

function choiceOf(values: readonly unknown[]): FieldKind {
  const options = values.filter(isOption);
  return options.length === values.length ? { kind: 'choice', options } : { kind: 'json', reason: 'not-understood' };
}

function isOption(value: unknown): value is string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** Variants of an object: a `oneOf` whose branches each have a constant text in the same field, the discriminator. */
function variantsOf(schema: Record<string, unknown>, branches: readonly unknown[], context: SchemaContext): FieldKind {
  const discriminator = isRecord(schema.discriminator) ? schema.discriminator.propertyName : undefined;
  if (typeof discriminator !== 'string') return { kind: 'json', reason: 'not-understood' };
  const variants = branches.flatMap((branch) => {
    const form = fieldOf(branch, '', true, context);
    const name = fieldsOf(form).find(({ key }) => key === discriminator);
    return name?.kind === 'constant' && typeof name.value === 'string' ? [{ value: name.value, form }] : [];
  });
  if (variants.length < branches.length) return { kind: 'json', reason: 'not-understood' };
  return { kind: 'variants', discriminator, variants };
}

/** A schema without type: any value, or one text or a list of texts. */
function alternativesOf(schema: Record<string, unknown>, context: SchemaContext): FieldKind {
  if (!Array.isArray(schema.anyOf)) {
    const isFree = Object.keys(schema).every((key) => ['description', 'examples', 'default', 'title'].includes(key));
    return { kind: 'json', reason: isFree ? 'any-value' : 'not-understood' };
  }
  const forms = schema.anyOf.map((branch) => fieldOf(branch, '', true, context));
  const text = forms.find(({ kind }) => kind === 'text');
  const isTexts = forms.length === 2 && forms.some((form) => form.kind === 'list' && form.item.kind === 'text');
  if (text?.kind !== 'text' || !isTexts) return { kind: 'json', reason: 'not-understood' };
  return { kind: 'texts', maxLength: text.maxLength };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
