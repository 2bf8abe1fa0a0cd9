import { COMMON_HEADERS } from '@batuta/openapi';

/** The headers of HTTP responses, for `components.headers`. */
export const RESPONSE_HEADERS = {
  ...COMMON_HEADERS,
  ETag: {
    description: 'Names what the answer has, for `If-None-Match`, and what is stored, for `If-Match`.',
    schema: { type: 'string' },
  },
  'Set-Cookie': {
    description: 'Gives a browser the cookie of the session, or deletes it.',
    schema: { type: 'string' },
  },
};
