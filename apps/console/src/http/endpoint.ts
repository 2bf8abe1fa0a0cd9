import type { ErrorCode } from '@batuta/errors';
import { answerSchema, inputSchema, propertiesOf, refusals } from '@batuta/openapi';
import { applyDecorators, HttpCode, SetMetadata, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { SessionGuard } from '../sessions/session.guard';
import { WHO, type Who } from '../sessions/who';

export const BASE = 'manage/v1';

interface EndpointSpec {
  tag: string;
  summary: string;
  description?: string;
  who: Who;
  body?: z.ZodType;
  query?: z.ZodObject;
  /** Names of the path's parameters. */
  params?: string[];
  answer: z.ZodType;
  status?: 200 | 201;
  /** The same body with another status. */
  also?: { status: number; description: string };
  /** What this route refuses with, besides what every route does. */
  errors?: ErrorCode[];
}

/** One route: who may call it, and its whole description in the OpenAPI document. */
export function Endpoint(spec: EndpointSpec): MethodDecorator {
  const { status = 200, body, query, also, params = [] } = spec;
  const answer = answerSchema(spec.answer);
  return applyDecorators(
    SetMetadata(WHO, spec.who),
    UseGuards(SessionGuard),
    HttpCode(status),
    ApiTags(spec.tag),
    ApiOperation({ summary: spec.summary, description: describe(spec) }),
    ApiResponse({ status, description: 'Done.', schema: answer }),
    ...params.map((name) => ApiParam({ name, schema: { type: 'string' } })),
    ...(body ? [ApiBody({ schema: inputSchema(body) })] : []),
    ...(query ? propertiesOf(query).map((parameter) => ApiQuery(parameter)) : []),
    ...(also ? [ApiResponse({ ...also, schema: answer })] : []),
    ...(spec.who === 'anyone' ? [] : [ApiSecurity('bearer'), ApiSecurity('cookie')]),
    ...refusals(codesOf(spec)).map((refusal) => ApiResponse(refusal)),
  );
}

const CALLERS: Record<Who, string> = {
  anyone: 'Needs no login.',
  account: 'For every account.',
  operator: 'For operators.',
  administrator: 'For administrators of a company.',
  company: 'For administrators and members of a company.',
};

function describe({ who, description }: EndpointSpec): string {
  return description === undefined ? CALLERS[who] : `${description} ${CALLERS[who]}`;
}

function codesOf({ who, body, query, errors = [] }: EndpointSpec): ErrorCode[] {
  const login: ErrorCode[] = [
    'MISSING_CREDENTIAL',
    'INVALID_CREDENTIAL',
    'CREDENTIAL_EXPIRED',
    'FORBIDDEN',
    'OWNER_INACTIVE',
  ];
  return [
    ...(who === 'anyone' ? [] : login),
    ...(body || query ? (['BAD_REQUEST'] as const) : []),
    ...(body ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_CHARSET'] as const) : []),
    ...errors,
    'INTERNAL',
    'UNAVAILABLE',
  ];
}
