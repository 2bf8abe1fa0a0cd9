import { ERROR_CODES } from '@batuta/errors';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeRefusals, refusalResponses, withErrorExamples } from '.';

const documentOf = (responses: OpenAPIObject['paths'][string]['get']): OpenAPIObject => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: { '/': { get: responses } },
});

test('refusals are one answer per status, with exactly the given codes, and an example of each', () => {
  const answers = refusalResponses(['INVALID_MATRIX', 'FORBIDDEN', 'BAD_REQUEST', 'FORBIDDEN']);
  expect(answers.map(({ status }) => status)).toEqual([400, 403]);
  const responses = Object.fromEntries(answers.map((answer) => [answer.status, answer]));
  const document = withErrorExamples(documentOf({ responses }));
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

describe('routes', () => {
  const answer = { description: 'An answer.', content: { 'application/json': { schema: { type: 'string' } } } };

  test('the description of a route keeps an answer whose status is also that of a refusal', () => {
    const { responses } = describeRefusals({ responses: { 500: answer } }, ['INTERNAL']);
    expect(responses[500]).toMatchObject({
      description: `An answer.\n\n\`INTERNAL\`: ${ERROR_CODES.INTERNAL.when}`,
      content: { 'application/json': { schema: { anyOf: [{ required: ['error'] }, { type: 'string' }] } } },
    });
  });

  test('the description of a route does not change an answer of another status', () => {
    const { responses } = describeRefusals({ responses: { 200: answer } }, ['INTERNAL']);
    expect([responses[200], Object.keys(responses)]).toEqual([answer, ['200', '500']]);
  });
});
