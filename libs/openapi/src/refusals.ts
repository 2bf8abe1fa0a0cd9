import { ERROR_CODES, isErrorCode, type ErrorCode } from '@batuta/errors';
import { ApiExtension, type OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;
type Schema = NonNullable<NonNullable<Response['content']>[string]['schema']>;

const CODES_EXTENSION = 'x-error-codes';

/** The refusals of one status, ready for `@ApiResponse`. */
export interface RefusalResponse {
  status: number;
  description: string;
  content: { 'application/json': { schema: Schema; examples: Record<string, { $ref: string }> } };
}

/** Lists the error codes of a route in addition to those of every route of its kind; `describeRefusals` adds the responses for them. */
export function ApiRefusals(...codes: ErrorCode[]): MethodDecorator {
  return ApiExtension(CODES_EXTENSION, codes);
}

/** The codes that `@ApiRefusals` lists for a route. */
export function listedRefusals(operation: Operation): ErrorCode[] {
  const listed: unknown = Object(operation)[CODES_EXTENSION];
  return Array.isArray(listed) ? listed.filter(isErrorCode) : [];
}

/**
 * Adds to the operation one response for each HTTP status of the codes. When it already has a response with that status, the new
 * response describes both forms.
 */
export function describeRefusals(operation: Operation, codes: ErrorCode[]): Operation {
  const responses = { ...operation.responses };
  for (const { status, ...refused } of refusalResponses(codes)) {
    const answer = responses[status];
    responses[status] = answer && !('$ref' in answer) ? mergeAnswers(answer, refused) : refused;
  }
  const described = { ...operation, responses };
  Reflect.deleteProperty(described, CODES_EXTENSION);
  return described;
}

function mergeAnswers(answer: Response, { description, content }: Omit<RefusalResponse, 'status'>): Response {
  const { schema, examples } = content['application/json'];
  const own = answer.content?.['application/json']?.schema;
  return {
    ...answer,
    description: [answer.description, description].filter(Boolean).join('\n\n'),
    content: { 'application/json': { schema: own ? { anyOf: [schema, own] } : schema, examples } },
  };
}

/** Adds to the document the examples of the error codes to which its responses refer. */
export function withErrorExamples(document: OpenAPIObject): OpenAPIObject {
  const paths = JSON.stringify(document.paths);
  const used = Object.entries(ERROR_CODES).filter(([code]) => paths.includes(`#/components/examples/${code}"`));
  const examples = used.map(([code, { when }]) => [code, { summary: when, value: { error: { code, message: when } } }]);
  return { ...document, components: { ...document.components, examples: Object.fromEntries(examples) } };
}

/** One response for each status of the codes: the envelope (contract 7) with exactly these codes, and an example of each. */
export function refusalResponses(codes: Iterable<ErrorCode>): RefusalResponse[] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].toSorted(([one], [other]) => one - other).map(([status, some]) => refusalResponse(status, some));
}

function refusalResponse(status: number, codes: ErrorCode[]): RefusalResponse {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }] as const);
  return {
    status,
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].when}`).join('\n\n'),
    content: { 'application/json': { schema: envelopeOf(codes), examples: Object.fromEntries(examples) } },
  };
}

function envelopeOf(codes: ErrorCode[]): Schema {
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', enum: codes },
          message: { type: 'string', description: 'Readable text that names the field; not for programs.' },
        },
      },
    },
  };
}
