import { LessThan, type FindOperator } from 'typeorm';
import type { PageQuery } from './page.dto';

/** Ids grow with time, so the newest first are the greatest first, and `before` needs no more than a comparison. */
export function newestFirst({ limit, before }: PageQuery) {
  const earlier: { id?: FindOperator<string> } = before === undefined ? {} : { id: LessThan(before) };
  return { earlier, take: limit, order: { id: 'DESC' } as const };
}
