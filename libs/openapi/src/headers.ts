interface HeaderReference {
  $ref: string;
}

/** The headers that a response of either API may have, for `components.headers`. */
export const COMMON_HEADERS = {
  'X-Request-Id': {
    description: 'The request id that was sent, or a new one.',
    schema: { type: 'string' },
    example: '3b7f6d0e-6f0f-4a52-9e0a-4c3f8e0f9f10',
  },
  'RateLimit-Policy': {
    description: 'Requests per window for this caller, and the seconds of a window. Sent once the caller is known.',
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
  'Content-Disposition': {
    description: 'The file name of a picture.',
    schema: { type: 'string' },
    example: 'inline; filename="01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15.png"',
  },
};

/** References to headers of `components.headers`, for `@ApiResponse`. */
export function headerReferences(...names: string[]): Record<string, HeaderReference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The common headers that a response with this status may have; `isLimited` = the calls of the route count for a limit per minute. */
export function commonHeaders(status: number, { isLimited }: { isLimited: boolean }): Record<string, HeaderReference> {
  return headerReferences(
    'X-Request-Id',
    ...(isLimited ? ['RateLimit', 'RateLimit-Policy'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  );
}
