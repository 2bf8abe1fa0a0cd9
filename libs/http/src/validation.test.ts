import { IsInt, IsString, MinLength } from 'class-validator';
import { presenceRule } from './field-rules';
import { NestedList, NestedObject } from './nested-dto';
import { refusedAs, validationPipe } from './validation';

/** Number of instances of Step that were made since a test set this to 0. */
let stepInstances = 0;

class Step {
  @MinLength(1, { message: 'is empty' })
  name!: string;

  constructor() {
    stepInstances += 1;
  }
}

class Flow {
  @IsString({ ...refusedAs('INVALID_NAME'), message: 'must be a text' })
  title!: string;

  @IsInt({ message: 'must be a whole number' })
  limit!: number;

  @NestedList(() => Step, 3)
  steps!: Step[];

  @presenceRule({ optional: true })
  @NestedObject(() => Step)
  last?: Step;

  @presenceRule({ optional: true, nullable: true })
  values?: unknown;
}

const validBody = { title: 'Orders', limit: 3, steps: [{ name: 'read' }] };
const pipe = validationPipe();
const validate = async (body: unknown): Promise<Flow> => pipe.transform(body, { type: 'body', metatype: Flow });

/** Lists within lists, `levels` deep. */
const nestedLists = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('a valid body becomes an instance of its DTO class', async () => {
  const flow = await validate(validBody);
  expect(flow).toBeInstanceOf(Flow);
  expect(flow).toEqual(validBody);
});

test.each<[string, object, string, string]>([
  ['a rule with a code of its own', { ...validBody, title: 5 }, 'INVALID_NAME', 'title: must be a text'],
  ['a rule without one', { ...validBody, limit: 1.5 }, 'BAD_REQUEST', 'limit: must be a whole number'],
  ['a nested field', { ...validBody, steps: [{ name: 'a' }, { name: '' }] }, 'BAD_REQUEST', 'steps.1.name: is empty'],
  ['an unknown field', { ...validBody, color: 's3cret' }, 'BAD_REQUEST', 'color: is not a known field'],
  [
    'a field before an unknown one',
    { ...validBody, color: 1, limit: 1.5 },
    'BAD_REQUEST',
    'limit: must be a whole number',
  ],
  [
    'an unknown nested field',
    { ...validBody, last: { name: 'a', x: 1 } },
    'BAD_REQUEST',
    'last.x: is not a known field',
  ],
  ['an object where a list belongs', { ...validBody, steps: {} }, 'BAD_REQUEST', 'steps: must be a list'],
  ['the length of a list', { ...validBody, steps: [1, 2, 3, 4] }, 'BAD_REQUEST', 'steps: has more than 3 items'],
  ['a list where an item belongs', { ...validBody, steps: [[]] }, 'BAD_REQUEST', 'steps.0: must be an object'],
  ['a text where an item belongs', { ...validBody, steps: ['a'] }, 'BAD_REQUEST', 'steps.0: must be an object'],
  ['a list where an object belongs', { ...validBody, last: [] }, 'BAD_REQUEST', 'last: must be an object'],
  ['null where a field may only be absent', { ...validBody, last: null }, 'BAD_REQUEST', 'last: must be an object'],
  ['a list as the body', [], 'BAD_REQUEST', 'body: must be an object'],
  ['deep nesting', { ...validBody, values: nestedLists(104) }, 'BAD_REQUEST', 'body: is nested deeper than 104 levels'],
])('a body that violates %s is refused by code and field', async (_rule, body, code, message) => {
  await expect(validate(body)).rejects.toMatchObject({ name: 'ApiError', code, message });
});

test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
  'a field named %s is refused as unknown, at every level, whatever it holds',
  async (name) => {
    const message = `${name}: is not a known field`;
    for (const text of ['1', 'null', '"text"', '{"constructor":"x"}', '{"prototype":{"polluted":1}}']) {
      const value: unknown = JSON.parse(text);
      const hostile = (fields: object) => Object.defineProperty({ ...fields }, name, { enumerable: true, value });
      const step = hostile({ name: 'a' });
      await expect(validate(hostile(validBody))).rejects.toMatchObject({ message });
      await expect(validate({ ...validBody, last: step })).rejects.toMatchObject({ message: `last.${message}` });
      await expect(validate({ ...validBody, steps: [step] })).rejects.toMatchObject({ message: `steps.0.${message}` });
    }
    expect(Object.prototype).not.toHaveProperty('polluted');
  },
);

test('an unknown field is refused as such although its value would trip class-transformer', async () => {
  const message = 'x: is not a known field';
  await expect(validate({ ...validBody, x: { constructor: 'x' } })).rejects.toMatchObject({ message });
});

test('a field of any JSON reaches the handler as it was sent', async () => {
  const values: unknown = JSON.parse(
    '{"constructor":{"prototype":1},"toString":null,"then":{},"__proto__":{"a":[[],[null]]},"nested":{"constructor":"x"}}',
  );
  const text = JSON.stringify(values);
  const flow = await validate({ ...validBody, values });
  expect(flow.values).toBe(values);
  expect(JSON.stringify(values)).toBe(text);
});

test('a field that was not sent does not exist', async () => {
  expect(Object.keys(await validate(validBody))).toEqual(['title', 'limit', 'steps']);
});

test('an empty body gets its own DTO each time when every field may be absent, and else is refused each time', async () => {
  class Page {
    @IsInt({ message: 'must be a whole number' })
    limit = 100;
  }
  const readPage = async (query: object): Promise<Page> => pipe.transform(query, { type: 'query', metatype: Page });
  const first = await readPage({});
  first.limit = 7;
  const second = await readPage({});
  expect(second).toBeInstanceOf(Page);
  expect(second.limit).toBe(100);
  await expect(readPage({ color: 1 })).rejects.toMatchObject({ message: 'color: is not a known field' });
  await expect(validate({})).rejects.toMatchObject({ message: 'title: must be a text' });
  await expect(validate({})).rejects.toMatchObject({ message: 'title: must be a text' });
});

test('a body with a hundred thousand unknown fields is refused, and the refusal names the first', async () => {
  const fields = Array.from({ length: 100_000 }, (_, index) => [`k${index}`, [{}]] as const);
  await expect(validate({ ...validBody, ...Object.fromEntries(fields) })).rejects.toMatchObject({
    message: 'k0: is not a known field',
  });
});

test.each([
  ['a list that is too long', 'steps', 'steps: has more than 3 items'],
  ['a list where an object belongs', 'last', 'last: must be an object'],
])('%s is refused without making DTOs of its 300,000 items', async (_what, field, message) => {
  stepInstances = 0;
  const items = Array.from({ length: 300_000 }, () => ({ name: 'read' }));
  await expect(validate({ ...validBody, [field]: items })).rejects.toMatchObject({ message });
  expect(stepInstances).toBeLessThan(10);
});

describe('lenient pipe', () => {
  const lenient = validationPipe({ unknownFields: 'ignored', maxDepth: 'unlimited' });
  const readLeniently = async (body: unknown): Promise<Flow> =>
    lenient.transform(body, { type: 'body', metatype: Flow });

  test.each(['color', '__proto__', 'constructor', 'toString'])(
    'a pipe that ignores unknown fields and leaves depth to the fields drops the unknown field %s',
    async (name) => {
      const body = Object.defineProperty({ ...validBody }, name, { enumerable: true, value: { a: 1 } });
      expect(await readLeniently(body)).toEqual(validBody);
    },
  );

  test('a pipe that ignores unknown fields and leaves depth to the fields passes on a value that is nested 400,000 levels deep', async () => {
    const values = nestedLists(400_000);
    expect((await readLeniently({ ...validBody, values })).values).toBe(values);
  });

  class Page {
    @IsInt({ message: 'must be a whole number' })
    limit!: number;
  }
  const readQuery = async (query: object): Promise<Page> => lenient.transform(query, { type: 'query', metatype: Page });

  test.each(['LIMIT', 'Limit', 'li_mit', 'limit-', 'limit[]', ' limit'])(
    'a pipe that ignores unknown fields refuses the field or query parameter %j, which is another spelling of a declared one',
    async (sent) => {
      const refusal = { code: 'BAD_REQUEST', message: `${sent}: is not a known field; its name is limit` };
      await expect(readQuery({ limit: 5, [sent]: '5' })).rejects.toMatchObject(refusal);
      await expect(readLeniently({ ...validBody, [sent]: '5' })).rejects.toMatchObject(refusal);
    },
  );

  test.each(['limit[a]', 'limit[', 'LIMIT[gte]', 'page[limit]', '[limit][0]', 'li[mit]'])(
    'a pipe that ignores unknown fields refuses the query parameter %s, which has a declared one before or in its brackets',
    async (sent) => {
      const refusal = { code: 'BAD_REQUEST', message: `${sent}: is not a known field; its name is limit` };
      await expect(readQuery({ limit: 5, [sent]: '5' })).rejects.toMatchObject(refusal);
    },
  );

  test('a pipe that ignores unknown fields drops fields and query parameters with other letters than a declared one', async () => {
    const unknown = { limits: '1', '': '1', _: '1', constructor: '1', 'limits[a]': '1', '[]': '1' };
    expect(await readQuery({ limit: 5, ...unknown })).toEqual({ limit: 5 });
    expect(await readLeniently({ ...validBody, ...unknown })).toEqual(validBody);
  });

  test('a query parameter that is sent more than once is refused with this reason, unless no route knows it', async () => {
    const refusal = { code: 'BAD_REQUEST', message: 'limit: is sent more than once' };
    await expect(readQuery({ limit: ['5', '5'] })).rejects.toMatchObject(refusal);
    const strict = pipe.transform({ limit: ['5', '5'] }, { type: 'query', metatype: Page });
    await expect(strict).rejects.toMatchObject(refusal);
    expect(await readQuery({ limit: 5, _: ['1', '2'] })).toEqual({ limit: 5 });
  });
});

test('a message that names its field gets no other prefix', async () => {
  class Path {
    @IsInt({ ...refusedAs('INSTANCE_NOT_FOUND', { namesField: true }), message: 'instanceID: no such instance' })
    iid!: unknown;
  }
  const reading = pipe.transform({ iid: 'x' }, { type: 'param', metatype: Path });
  await expect(reading).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND', message: 'instanceID: no such instance' });
});

test('a parameter that is no DTO passes through, also when it is absent', async () => {
  expect(await pipe.transform(undefined, { type: 'custom', metatype: Object })).toBeUndefined();
});
