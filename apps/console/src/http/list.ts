import { LessThan, type FindOperator } from 'typeorm';
import type { Page } from './fields';

/** Ids grow with time, so the newest first are the greatest first, and `before` needs no more than a comparison. */
export function newestFirst({ limit, before }: Page) {
  const earlier: { id?: FindOperator<string> } = before === undefined ? {} : { id: LessThan(before) };
  return { earlier, take: limit, order: { id: 'DESC' } as const };
}
