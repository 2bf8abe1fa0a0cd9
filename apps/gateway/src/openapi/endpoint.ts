import type { ErrorCode } from '@batuta/errors';
import { answerSchema, inputSchema, propertiesOf, refusals, type Refusal } from '@batuta/openapi';
import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import type { z } from 'zod';
import { ACCESS, type Access } from './access';
import { answerHeaders, REQUEST_ID, type AnswerHeader } from './headers';

export interface EndpointSpec {
  tag: 'Account' | 'Environments' | 'Processes' | 'Instances' | 'Schedules' | 'Webhooks';
  summary: string;
  description?: string;
  access: Access;
  /** The parameters of the path. */
  params?: Record<string, { description: string; schema: object }>;
  query?: z.ZodObject;
  /** Request headers besides the credentials. */
  headers?: { name: string; description: string; schema: object }[];
  body?: { schema: z.ZodType; required: boolean; examples: Record<string, { summary: string; value: unknown }> };
  answers: Answer[];
  /** What this route refuses with, besides what its access and its body imply. */
  errors?: ErrorCode[];
}

export interface Answer {
  status: number;
  description: string;
  /** Without one the answer has no body. */
  schema?: z.ZodType;
  example?: unknown;
  headers?: AnswerHeader[];
  /** application/json unless told. */
  mediaType?: string;
}

/** The whole description of one route in the OpenAPI document; what the route does is for its guards and its method. */
export function Endpoint(spec: EndpointSpec): MethodDecorator {
  const { access, body, params = {}, query, headers = [] } = spec;
  return applyDecorators(
    ApiTags(spec.tag),
    ApiOperation({ summary: spec.summary, description: spec.description }),
    ...(access === 'anyone' ? [] : [ApiSecurity(ACCESS[access].needs)]),
    ...Object.entries(params).map(([name, parameter]) => ApiParam({ name, ...parameter })),
    ...(query ? propertiesOf(query).map((parameter) => ApiQuery(parameter)) : []),
    ...[...headers, REQUEST_ID].map((header) => ApiHeader({ required: false, ...header })),
    ...(body ? [ApiBody({ ...body, schema: inputSchema(body.schema) })] : []),
    ...responsesOf(spec).map((response) => ApiResponse(response)),
  );
}

/** Of a status that is both an answer and a refusal, both forms. */
function responsesOf(spec: EndpointSpec) {
  const { access, answers } = spec;
  const refused = refusals(codesOf(spec));
  const isRefused = ({ status }: Answer) => refused.some((refusal) => refusal.status === status);
  return [
    ...answers.filter((answer) => !isRefused(answer)).map((answer) => describeAnswer(answer, access)),
    ...refused.map((refusal) => describeRefusal(refusal, access, answers)),
  ];
}

function describeRefusal(refusal: Refusal, access: Access, answers: Answer[]) {
  const answer = answers.find(({ status }) => status === refusal.status);
  const headers = answerHeaders(access, refusal.status, answer?.headers);
  if (!answer?.schema) return { ...refusal, headers };
  const { schema, examples } = refusal.content['application/json'];
  const either = { anyOf: [schema, answerSchema(answer.schema)] };
  return {
    status: refusal.status,
    description: `${answer.description}\n\n${refusal.description}`,
    content: { 'application/json': { schema: either, examples } },
    headers,
  };
}

function describeAnswer(
  { status, description, schema, example, headers, mediaType = 'application/json' }: Answer,
  access: Access,
) {
  const content = schema && { content: { [mediaType]: { schema: answerSchema(schema), example } } };
  return { status, description, ...content, headers: answerHeaders(access, status, headers) };
}

function codesOf({ access, params, query, headers, body, errors = [] }: EndpointSpec): ErrorCode[] {
  const takesInput = params || query || headers || body;
  return [
    ...ACCESS[access].codes,
    ...(takesInput ? (['BAD_REQUEST'] as const) : []),
    ...(body ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_CHARSET'] as const) : []),
    ...errors,
    'INTERNAL',
  ];
}
