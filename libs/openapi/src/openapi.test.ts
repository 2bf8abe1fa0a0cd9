import { ERROR_CODES } from '@batuta/errors';
import { z } from 'zod';
import { answerSchema, inputSchema, propertiesOf, refusals, shareComponents } from '.';

const bare = { openapi: '3.1.0', info: { title: 'T', version: '1' } };
const pathsWith = (schema: z.ZodType, path = '/one') => ({
  [path]: { get: { responses: { 200: { description: '', content: { json: { schema: answerSchema(schema) } } } } } },
});
const ship = z.object({ name: z.string() }).meta({ id: 'Ship' });

test('a schema with an id is written once, under components, and referred to', () => {
  const paths = { ...pathsWith(z.array(ship)), ...pathsWith(ship, '/two') };
  const { components, paths: described } = shareComponents({ ...bare, paths });
  expect(components?.schemas).toEqual({
    Ship: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  });
  expect(JSON.stringify(described).match(/"\$ref":"[^"]*"/g)).toEqual([
    '"$ref":"#/components/schemas/Ship"',
    '"$ref":"#/components/schemas/Ship"',
  ]);
  expect(JSON.stringify(described)).not.toContain('$defs');
});

test('two different schemas cannot have one id', () => {
  const paths = pathsWith(ship);
  const other = pathsWith(z.object({}).meta({ id: 'Ship' }), '/two');
  expect(() => shareComponents({ ...bare, paths: { ...paths, ...other } })).toThrow('have the id Ship');
});

test('refusals are one answer a status, with exactly the given codes, and an example of each', () => {
  const answers = refusals(['INVALID_MATRIX', 'FORBIDDEN', 'BAD_REQUEST', 'FORBIDDEN']);
  expect(answers.map(({ status }) => status)).toEqual([400, 403]);
  const responses = Object.fromEntries(answers.map((answer) => [answer.status, answer]));
  const document = shareComponents({ ...bare, paths: { '/': { get: { responses } } } });
  expect(document.components?.examples).toEqual(
    Object.fromEntries(
      (['BAD_REQUEST', 'INVALID_MATRIX', 'FORBIDDEN'] as const).map((code) => [
        code,
        { summary: ERROR_CODES[code].when, value: { error: { code, message: ERROR_CODES[code].when } } },
      ]),
    ),
  );
  expect(answers[0]).toMatchObject({
    content: {
      'application/json': {
        schema: { properties: { error: { properties: { code: { enum: ['INVALID_MATRIX', 'BAD_REQUEST'] } } } } },
      },
    },
  });
});

test('a query is described field by field, with what is sent before it is converted', () => {
  const query = z.object({ limit: z.int().min(1).default(50), day: z.iso.date(), page: z.string().optional() });
  expect(propertiesOf(query)).toEqual([
    { name: 'limit', required: false, schema: expect.objectContaining({ type: 'integer', minimum: 1, default: 50 }) },
    { name: 'day', required: true, schema: { type: 'string', format: 'date' } },
    { name: 'page', required: false, schema: { type: 'string' } },
  ]);
});

test('an answer may gain fields, what a caller sends may not', () => {
  expect(answerSchema(z.strictObject({}))).toEqual({ type: 'object', properties: {} });
  expect(inputSchema(z.strictObject({}))).toEqual({ type: 'object', properties: {}, additionalProperties: false });
});
