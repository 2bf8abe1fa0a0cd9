import { ERROR_CODES, type ErrorCode } from '@batuta/errors';
import type { Schema } from './schema';

/** The answer of one status, ready for `@ApiResponse`. */
export interface Refusal {
  status: number;
  description: string;
  content: { 'application/json': { schema: Schema; examples: Record<string, { $ref: string }> } };
}

/** Of each code's envelope, for `components.examples`, where the answers of `refusals` find them. */
export const ERROR_EXAMPLES = Object.fromEntries(
  Object.entries(ERROR_CODES).map(([code, { when }]) => [
    code,
    { summary: when, value: { error: { code, message: when } } },
  ]),
);

/** One answer for each status among the codes: the envelope (contract 7) with exactly these codes, and an example of each. */
export function refusals(codes: Iterable<ErrorCode>): Refusal[] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].toSorted(([one], [other]) => one - other).map(([status, some]) => refusal(status, some));
}

function refusal(status: number, codes: ErrorCode[]): Refusal {
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
