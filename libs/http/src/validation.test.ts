import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, MinLength, ValidateNested } from 'class-validator';
import { refusedAs, validationPipe } from './validation';

class Step {
  @MinLength(1, { message: 'is empty' })
  name!: string;
}

class Flow {
  @IsString({ ...refusedAs('INVALID_NAME'), message: 'must be a text' })
  title!: string;

  @IsInt({ message: 'must be a whole number' })
  limit!: number;

  @IsArray({ message: 'must be a list' })
  @ValidateNested({ each: true })
  @Type(() => Step)
  steps!: Step[];
}

const good = { title: 'Orders', limit: 3, steps: [{ name: 'read' }] };
const read = (body: unknown) => validationPipe().transform(body, { type: 'body', metatype: Flow });

test('a valid body becomes an instance of its DTO class', async () => {
  const flow: unknown = await read(good);
  expect(flow).toBeInstanceOf(Flow);
  expect(flow).toEqual(good);
});

test.each<[string, object, string, string]>([
  ['a rule with a code of its own', { ...good, title: 5 }, 'INVALID_NAME', 'title: must be a text'],
  ['a rule without one', { ...good, limit: 1.5 }, 'BAD_REQUEST', 'limit: must be a whole number'],
  ['a nested field', { ...good, steps: [{ name: 'a' }, { name: '' }] }, 'BAD_REQUEST', 'steps.1.name: is empty'],
  ['an unknown field', { ...good, color: 's3cret' }, 'BAD_REQUEST', 'color: is not a known field'],
])('a body that violates %s is refused by code and field', async (_rule, body, code, message) => {
  await expect(read(body)).rejects.toMatchObject({ name: 'ApiError', code, message });
});
