import { COMMON_HEADERS, commonHeaders, headerReferences as referencesTo } from '@batuta/openapi';
import type { RouteCredential } from './access';

/** The header that every request may carry, described for the OpenAPI document. */
export const REQUEST_ID_PARAMETER = {
  name: 'X-Request-Id',
  description: 'A name of your own for this request; it comes back in the answer and stands in the logs.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,64}$', examples: ['order-17'] },
};

/** The headers of HTTP responses, for `components.headers`. */
export const RESPONSE_HEADERS = {
  ...COMMON_HEADERS,
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  'Idempotency-Mismatch': {
    description: 'Sent when the Idempotency-Key was first used with another body: the first call is what is answered.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'X-Instance-Id': {
    description: 'The instance that the call started, or that its Idempotency-Key had started before.',
    schema: { type: 'string', format: 'uuid' },
    example: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15',
  },
};

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** For `@ApiResponse`: references to headers that this response may have in addition to those of `headersOf`. */
export function headerReferences(...names: ResponseHeader[]): ReturnType<typeof referencesTo> {
  return referencesTo(...names);
}

/** The headers that every response of a route with this access may carry, if it has this status. */
export function headersOf(access: RouteCredential, status: number): ReturnType<typeof referencesTo> {
  return {
    ...commonHeaders(status, { isLimited: access !== 'anyone' }),
    ...(status === 401 ? headerReferences('WWW-Authenticate') : {}),
  };
}
