import { stepSchemaOf, stepTypeNames } from '@batuta/flow';
import { fieldsOf, formOf, type FormField } from './form-model';

const fieldOf = (form: FormField, key: string) => fieldsOf(form).find((field) => field.key === key);

/** The paths of the fields that a form leaves to JSON text. */
function jsonFields(form: FormField, path = ''): string[] {
  const at = form.key === '' ? path : `${path}/${form.key}`;
  switch (form.kind) {
    case 'json':
      return [`${at} ${form.reason}`];
    case 'object':
      return form.fields.flatMap((field) => jsonFields(field, at));
    case 'entries':
      return jsonFields(form.value, `${at}/*`);
    case 'list':
      return jsonFields(form.item, `${at}/0`);
    case 'variants':
      return form.variants.flatMap(({ value, form: variant }) => jsonFields(variant, `${at}<${value}>`));
    default:
      return [];
  }
}

test('the form of every step type has fields for everything except fields that accept any value', () => {
  const left = Object.fromEntries(stepTypeNames().map((type) => [type, jsonFields(formOf(stepSchemaOf(type)))]));
  expect(left).toEqual({
    variables: [],
    script: [],
    rest: ['/body any-value'],
    database: ['/params/0 any-value', '/statements/0/params/0 any-value'],
    email: [],
    browser: [],
    wait: [],
    webhookResponse: [],
  });
});

test('a field of a form has the kind, the limits and the requirement of its JSON Schema', () => {
  const rest = formOf(stepSchemaOf('rest'));
  expect(fieldOf(rest, 'url')).toMatchObject({
    kind: 'text',
    required: true,
    maxLength: 4000,
    isLong: false,
  });
  expect(fieldOf(rest, 'method')).toMatchObject({
    kind: 'choice',
    required: true,
  });
  expect(fieldOf(rest, 'timeoutSeconds')).toMatchObject({
    kind: 'number',
    isInteger: true,
    minimum: 1,
    maximum: 600,
  });
  expect(fieldOf(rest, 'headers')).toMatchObject({
    kind: 'entries',
    value: { kind: 'text' },
    maxEntries: 100,
  });
  expect(fieldOf(rest, 'type')).toMatchObject({
    kind: 'constant',
    value: 'rest',
  });
  expect(fieldOf(rest, 'rows')).toMatchObject({
    kind: 'list',
    maxItems: 50,
    item: { kind: 'object' },
  });
  expect(fieldOf(formOf(stepSchemaOf('email')), 'to')).toMatchObject({
    kind: 'texts',
    maxLength: 4000,
    required: true,
  });
  expect(fieldOf(formOf(stepSchemaOf('webhookResponse')), 'code')).toMatchObject({
    kind: 'choice',
    options: [null, 200, 201, 202, 400, 401, 403, 404, 409, 422, 500],
  });
});

test('the actions of a browser step are variants by their discriminator, with descriptions and examples', () => {
  const actions = fieldOf(formOf(stepSchemaOf('browser')), 'actions');
  const item = actions?.kind === 'list' ? actions.item : undefined;
  const open = item?.kind === 'variants' ? item.variants[0] : undefined;
  expect(open).toMatchObject({
    value: 'open',
    form: {
      kind: 'object',
      description: expect.stringContaining('Opens'),
      examples: [{ action: 'open' }],
    },
  });
});

test.each([
  [{ type: 'string', format: 'x' }, 'text'],
  [{ type: ['string', 'null'] }, 'json'],
  [{ $ref: '#/$defs/gone' }, 'json'],
  [{ $ref: 'https://elsewhere.example/schema' }, 'json'],
  [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, 'json'],
  [{ enum: [{}, 1] }, 'json'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'json'],
  [{ type: 'object' }, 'json'],
  [true, 'json'],
  [undefined, 'json'],
])('a field with the JSON Schema %j has the kind %s', (schema, kind) => {
  expect(formOf(schema).kind).toBe(kind);
});

test('the form of a JSON Schema that refers to itself ends in a field for JSON text', () => {
  const schema = {
    $defs: {
      tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } },
    },
    $ref: '#/$defs/tree',
  };
  expect(jsonFields(formOf(schema))).toHaveLength(1);
});
