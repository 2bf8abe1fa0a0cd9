import type { RouteCredential } from './access';

interface HeaderReference {
  $ref: string;
}

/** The header that every request may carry, described for the OpenAPI document. */
export const REQUEST_ID_PARAMETER = {
  name: 'X-Request-Id',
  description: 'A name of your own for this request; it comes back in the answer and stands in the logs.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,64}$', examples: ['order-17'] },
};

/** The headers of HTTP responses, for `components.headers`. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'The request id that was sent, or a new one.',
    schema: { type: 'string' },
    example: '3b7f6d0e-6f0f-4a52-9e0a-4c3f8e0f9f10',
  },
  'RateLimit-Policy': {
    description:
      'Requests per window for this credential or webhook, and the seconds of a window. Sent once the caller is known.',
    schema: { type: 'string' },
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'Requests that are left, and the seconds until the next window. Sent once the caller is known.',
    schema: { type: 'string' },
    example: '"default";r=599;t=42',
  },
  'Retry-After': {
    description: 'Seconds after which the request is worth another try. Every 429 has it; a 503 may have it.',
    schema: { type: 'integer', minimum: 0 },
    example: 42,
  },
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

/** For `@ApiResponse`: references to headers that this response may have in addition to `commonHeaders`. */
export function headerReferences(...names: ResponseHeader[]): Record<string, HeaderReference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers that every response of a route with this access may carry, if it has this status. */
export function commonHeaders(access: RouteCredential, status: number): Record<string, HeaderReference> {
  return headerReferences(
    'X-Request-Id',
    ...(access === 'anyone' ? [] : (['RateLimit', 'RateLimit-Policy'] as const)),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  );
}
