import type { ErrorCode } from '@batuta/errors';
import { EVENT_STREAM_EXAMPLE } from '@batuta/events';
import { commonHeaders, headerReferences, refusalResponses } from '@batuta/openapi';
import { applyDecorators, HttpCode, SetMetadata, UseGuards, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import {
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import { NoQueryGuard } from '../http/no-query.guard';
import { AUDIENCE_KEY, ONE_TIME_KEY, type Audience } from './audience';
import { SessionGuard } from './session.guard';

export const BASE_PATH = 'manage/v1';

/** Error codes of every route with the id of a process in its path. */
export const PROCESS_ERRORS: readonly ErrorCode[] = ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'];

/** The keys of Nest's metadata for the parameters of a method: `<kind>:<index>`, where kind 3 is the body and 4 the query. */
const BODY_METADATA_KEY = /^3:/;
const QUERY_METADATA_KEY = /^4:/;

/** For routes that replace a resource that the client has read with its `ETag`. */
export const IF_MATCH_HEADER = {
  name: 'If-Match',
  required: false,
  description:
    'The `ETag` that was read: a save over another state is refused with `PRECONDITION_FAILED`. Absent = saves always.',
  schema: { type: 'string' },
} as const;

const NOT_MODIFIED = {
  status: 304,
  description: '`If-None-Match` has the `ETag` of what is stored; there is no body.',
};

interface EndpointOptions {
  summary: string;
  description?: string;
  audience: Audience;
  /** A session that a one-time password opened may call the route, too. */
  oneTime?: true;
  /**
   * The DTO class of the answer, or a list of alternatives; `picture` for the bytes of an image, `events` for server-sent events.
   */
  answer: Type | Type[] | 'picture' | 'events';
  status?: 200 | 201;
  /** A second success status that has the same body. */
  also?: { status: number; description: string };
  /** The answer has an `ETag`. */
  tagged?: true;
  /** The answer sets or deletes the cookie of the session. */
  setsCookie?: true;
  /** Error codes of this route, in addition to those that follow from its audience and its parameters. */
  errors?: readonly ErrorCode[];
}

/**
 * Installs the guards of a route: SessionGuard, which admits its audience and reads the body, and NoQueryGuard where the route takes no query.
 * Describes its answer and every error code in the OpenAPI document. Every route of the management API has this decorator.
 */
export function Endpoint(options: EndpointOptions): MethodDecorator {
  const { audience, oneTime = false, status = 200, also, summary, tagged, setsCookie } = options;
  const forms = typeof options.answer === 'string' ? [] : [options.answer].flat();
  const body = typeof options.answer === 'string' ? CONTENTS[options.answer] : bodyOf(forms);
  // Also a route for operators: the refusal of another caller counts for that caller's limit.
  const isLimited = audience !== 'anyone';
  const respond = (response: ApiResponseOptions & { status: number }, ...names: string[]) =>
    ApiResponse({
      ...response,
      headers: { ...commonHeaders(response.status, { isLimited }), ...headerReferences(...names) },
    });
  const tagHeaders = tagged ? ['ETag'] : [];
  const answerHeaders = [
    ...tagHeaders,
    ...(setsCookie ? ['Set-Cookie'] : []),
    ...(options.answer === 'picture' ? ['Content-Disposition'] : []),
  ];
  const decorate = applyDecorators(
    SetMetadata(AUDIENCE_KEY, audience),
    SetMetadata(ONE_TIME_KEY, oneTime),
    UseGuards(SessionGuard),
    HttpCode(status),
    ApiExtraModels(...forms),
    ApiOperation({ summary, description: descriptionOf(options) }),
    respond({ status, description: 'Done.', ...body }, ...answerHeaders),
    ...(also ? [respond({ ...also, ...body })] : []),
    ...(audience === 'anyone' ? [] : [ApiSecurity('bearer'), ApiSecurity('cookie')]),
  );
  return (target, name, descriptor) => {
    decorate(target, name, descriptor);
    const takes = Object.keys(Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, name) ?? {});
    // After the guard of the session: who may not call a route learns nothing about its parameters.
    if (!takes.some((key) => QUERY_METADATA_KEY.test(key))) UseGuards(NoQueryGuard)(target, name, descriptor);
    const takesBody = takes.some((key) => BODY_METADATA_KEY.test(key));
    if (tagged && !takesBody) respond(NOT_MODIFIED, ...tagHeaders)(target, name, descriptor);
    const codes = codesOf(options, { body: takesBody });
    for (const refusal of refusalResponses(codes)) respond(refusal)(target, name, descriptor);
  };
}

const BINARY_CONTENT = { schema: { type: 'string', format: 'binary' } };

const CONTENTS = {
  picture: { content: { 'image/png': BINARY_CONTENT, 'image/jpeg': BINARY_CONTENT } },
  events: { content: { 'text/event-stream': { schema: { type: 'string' }, example: EVENT_STREAM_EXAMPLE } } },
};

/** The OpenAPI schema of an answer by its classes. */
function bodyOf(forms: Type[]) {
  if (forms.length === 1) return { type: forms[0] };
  return { schema: { anyOf: forms.map((form) => ({ $ref: getSchemaPath(form) })) } };
}

const AUDIENCE_DESCRIPTIONS: Record<Audience, string> = {
  anyone: 'Needs no login.',
  account: 'For every account.',
  operator: 'For operators.',
  administrator: 'For administrators of a company.',
  supervisor: 'For operators, and for administrators of the company.',
  company: 'For administrators and members of a company.',
};

function descriptionOf({ audience, description }: EndpointOptions): string {
  return description === undefined
    ? AUDIENCE_DESCRIPTIONS[audience]
    : `${description} ${AUDIENCE_DESCRIPTIONS[audience]}`;
}

function codesOf({ audience, errors = [] }: EndpointOptions, takes: { body: boolean }): ErrorCode[] {
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
    'BAD_REQUEST',
    ...(takes.body ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_CHARSET'] as const) : []),
    ...errors,
    'INTERNAL',
    'UNAVAILABLE',
  ];
}
