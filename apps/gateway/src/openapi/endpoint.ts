import type { ErrorCode } from '@batuta/errors';
import { answerSchema, inputSchema, propertiesOf, refusals } from '@batuta/openapi';
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
  tag: 'Account' | 'Environments' | 'Processes' | 'Instances' | 'Schedules';
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
    ...spec.answers.map((answer) => ApiResponse(describeAnswer(answer, access))),
    ...refusals(codesOf(spec)).map((refusal) =>
      ApiResponse({ ...refusal, headers: answerHeaders(access, refusal.status) }),
    ),
  );
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
