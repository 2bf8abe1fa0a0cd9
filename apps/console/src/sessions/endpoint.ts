import type { ErrorCode } from '@batuta/errors';
import { refusals } from '@batuta/openapi';
import { applyDecorators, HttpCode, SetMetadata, UseGuards, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiSecurity, getSchemaPath } from '@nestjs/swagger';
import { AUDIENCE, ONE_TIME, type Audience } from './audience';
import { SessionGuard } from './session.guard';

export const BASE = 'manage/v1';

/** Error codes of every route with the id of a process in its path. */
export const PROCESS_ERRORS: readonly ErrorCode[] = ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'];

/** The keys of Nest's metadata for parameters: `<kind>:<index>`. */
const BODY_KEY = /^3:/;
const QUERY_KEY = /^4:/;

interface EndpointOptions {
  summary: string;
  description?: string;
  audience: Audience;
  /** True when a session that a one-time password opened may call the route, too. */
  oneTime?: true;
  /** The class of the answer, or of each of its forms. */
  answer: Type | Type[];
  status?: 200 | 201;
  /** A second success status with the same body. */
  also?: { status: number; description: string };
  /** Error codes of this route, in addition to those that follow from its audience and its parameters. */
  errors?: readonly ErrorCode[];
}

/**
 * What Nest's decorators do not say of a route: who may call it, and every error code it answers with. DTO classes describe
 * parameters, body and answer.
 */
export function Endpoint(options: EndpointOptions): MethodDecorator {
  const { audience, oneTime = false, status = 200, also, summary } = options;
  const forms = [options.answer].flat();
  const schema = { anyOf: forms.map((form) => ({ $ref: getSchemaPath(form) })) };
  const body = forms.length === 1 ? { type: forms[0] } : { schema };
  const decorate = applyDecorators(
    SetMetadata(AUDIENCE, audience),
    SetMetadata(ONE_TIME, oneTime),
    UseGuards(SessionGuard),
    HttpCode(status),
    ApiExtraModels(...forms),
    ApiOperation({ summary, description: descriptionOf(options) }),
    ApiResponse({ status, description: 'Done.', ...body }),
    ...(also ? [ApiResponse({ ...also, ...body })] : []),
    ...(audience === 'anyone' ? [] : [ApiSecurity('bearer'), ApiSecurity('cookie')]),
  );
  return (target, name, descriptor) => {
    decorate(target, name, descriptor);
    const takes = Object.keys(Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, name) ?? {});
    const codes = codesOf(options, {
      body: takes.some((key) => BODY_KEY.test(key)),
      query: takes.some((key) => QUERY_KEY.test(key)),
    });
    for (const refusal of refusals(codes)) ApiResponse(refusal)(target, name, descriptor);
  };
}

const AUDIENCES: Record<Audience, string> = {
  anyone: 'Needs no login.',
  account: 'For every account.',
  operator: 'For operators.',
  administrator: 'For administrators of a company.',
  supervisor: 'For operators, and for administrators of the company.',
  company: 'For administrators and members of a company.',
};

function descriptionOf({ audience, description }: EndpointOptions): string {
  return description === undefined ? AUDIENCES[audience] : `${description} ${AUDIENCES[audience]}`;
}

function codesOf({ audience, errors = [] }: EndpointOptions, takes: { body: boolean; query: boolean }): ErrorCode[] {
  const login: ErrorCode[] = [
    'MISSING_CREDENTIAL',
    'INVALID_CREDENTIAL',
    'CREDENTIAL_EXPIRED',
    'FORBIDDEN',
    'OWNER_INACTIVE',
    'RATE_LIMITED',
  ];
  return [
    ...(audience === 'anyone' ? [] : login),
    ...(takes.body || takes.query ? (['BAD_REQUEST'] as const) : []),
    ...(takes.body ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_CHARSET'] as const) : []),
    ...errors,
    'INTERNAL',
    'UNAVAILABLE',
  ];
}
