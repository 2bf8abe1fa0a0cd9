import Ajv, { type ValidateFunction } from 'ajv/dist/2020';

// Shapes of JSON that tests read from answers and files. Each function here builds a JSON Schema of which TypeScript knows the type of the
// values; ajv validates the values.

const ajv = new Ajv({ useDefaults: true, strict: false, allErrors: true, discriminator: true });

export type Fields = Record<string, Shape<unknown, boolean>>;
type OptionalNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Shape<unknown, true> ? Name : never;
}[keyof F];
type Flat<T> = { [Name in keyof T]: T[Name] };
type ObjectOfFields<F extends Fields> = Flat<
  { [Name in Exclude<keyof F, OptionalNames<F>>]: Infer<F[Name]> } & {
    [Name in OptionalNames<F>]?: Infer<F[Name]>;
  }
>;

/** The type of the values that a shape accepts. */
export type Infer<S> = S extends Shape<infer Value, boolean> ? Value : never;

/** A JSON Schema with the type of its values. `Optional`: an object may lack the field. */
class Shape<Value, Optional extends boolean = false> {
  private validator: ValidateFunction | undefined;

  /** Has no value: TypeScript infers from it whether the type of an object has this field as optional. */
  declare readonly isOptional: Optional;

  constructor(
    readonly schema: Record<string, unknown>,
    /** True when an object must have a field of this shape. */
    readonly isRequired = true,
  ) {}

  optional(): Shape<Value, true> {
    return new Shape<Value, true>(this.schema, false);
  }

  /** The shape of a field that may be absent; `parse` then fills in this value. */
  default(value: Value): Shape<Value> {
    return new Shape<Value>({ ...this.schema, default: value }, false);
  }

  nullable(): Shape<Value | null> {
    return new Shape({ anyOf: [this.schema, { type: 'null' }] });
  }

  /** Whether the value has this shape. Fills the defaults of absent fields into the value itself. */
  matches(value: unknown): value is Value {
    this.validator ??= ajv.compile(this.schema);
    return this.validator(value);
  }

  /** A copy of the value with defaults filled in; throws an error that lists the problems when it has another shape. */
  parse(value: unknown): Value {
    const copy: unknown = structuredClone(value);
    if (this.matches(copy)) return copy;
    throw new Error(`${ajv.errorsText(this.validator?.errors)} in ${JSON.stringify(value)?.slice(0, 2_000)}`);
  }
}

const shape = <Value>(schema: Record<string, unknown>) => new Shape<Value>(schema);

const objectShape = <F extends Fields>(fields: F, more: object = {}) =>
  shape<ObjectOfFields<F>>({
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    required: Object.keys(fields).filter((name) => fields[name]?.isRequired),
    ...more,
  });

export const text = (pattern?: RegExp) =>
  shape<string>({ type: 'string', ...(pattern && { pattern: pattern.source }) });
export const nonEmptyText = text(/./s);
export const uuid = text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const url = text(/^\w+:\/\/\S+$/);
/** ISO 8601 in UTC with milliseconds. */
export const utcTime = text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const number = shape<number>({ type: 'number' });
export const integer = (minimum?: number) =>
  shape<number>({ type: 'integer', ...(minimum !== undefined && { minimum }) });
export const flag = shape<boolean>({ type: 'boolean' });
export const anything = shape<unknown>({});
export const nothing = shape<null>({ type: 'null' });
export const exactly = <const Value extends string | number | boolean>(value: Value) => shape<Value>({ const: value });
export const oneOf = <const Value extends string>(...values: Value[]) => shape<Value>({ enum: values });
export const anyOf = <A, B>(one: Shape<A>, other: Shape<B>) => shape<A | B>({ anyOf: [one.schema, other.schema] });

export const list = <Value>(item: Shape<Value, boolean>, minItems = 0) =>
  shape<Value[]>({ type: 'array', items: item.schema, minItems });
export const pair = <A, B>(first: Shape<A>, second: Shape<B>) =>
  shape<[A, B]>({ type: 'array', prefixItems: [first.schema, second.schema], minItems: 2, maxItems: 2 });
export const dictionary = <Value>(value: Shape<Value, boolean>) =>
  shape<Record<string, Value>>({ type: 'object', additionalProperties: value.schema });

/** An object with these fields and perhaps more. */
export const object = <F extends Fields>(fields: F) => objectShape(fields);
/** An object with these fields and no others. */
export const exactObject = <F extends Fields>(fields: F) => objectShape(fields, { additionalProperties: false });
