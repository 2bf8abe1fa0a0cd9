import type { ScheduleDraft } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { readStartBody } from '../start/start-body';

const LONGEST_NAME = 120;
// Lone surrogates cannot be stored as UTF-8; control characters would break a line or a terminal.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/**
 * The body of contract 4.13 without its processID: the shape only, what it says is judged by the schedule service. Throws
 * INVALID_NAME, INVALID_CRON, INVALID_MATRIX, INVALID_ENVIRONMENT or BAD_REQUEST, in the order of the contract's fields.
 */
export function readScheduleBody(json: Record<string, unknown>): ScheduleDraft {
  const name = readName(json['name']);
  const cronExpression = readCron(json['cronExpression']);
  return { name, cronExpression, ...readStartBody(json), active: readActive(json['active'], true) };
}

/** Throws BAD_REQUEST; `byDefault` is what it is when it was not sent. */
export function readActive(value: unknown, byDefault?: boolean): boolean {
  const active = value ?? (value === undefined ? byDefault : undefined);
  if (typeof active === 'boolean') return active;
  throw new ApiError('BAD_REQUEST', 'active: must be true or false');
}

function readName(value: unknown): string {
  if (typeof value !== 'string') throw new ApiError('INVALID_NAME', 'name: must be a text');
  const name = value.trim();
  const length = Array.from(name).length;
  if (length === 0) throw new ApiError('INVALID_NAME', 'name: is empty');
  if (length > LONGEST_NAME) throw new ApiError('INVALID_NAME', `name: is longer than ${LONGEST_NAME} characters`);
  if (UNPRINTABLE.test(name)) throw new ApiError('INVALID_NAME', 'name: has control characters');
  return name;
}

function readCron(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ApiError('INVALID_CRON', 'cronExpression: must be a text of five fields');
}
