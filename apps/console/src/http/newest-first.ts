import { LessThan, type FindOperator } from 'typeorm';
import type { PageQuery } from './page.dto';

/**
 * The parts of TypeORM's `find` options for a page: `earlier` is a condition for `where`. Ids (UUIDv7) grow with time, so descending ids are
 * newest first, and `before` is a plain comparison.
 */
export function newestFirst({ limit, before }: PageQuery) {
  const earlier: { id?: FindOperator<string> } = before === undefined ? {} : { id: LessThan(before) };
  return { earlier, take: limit, order: { id: 'DESC' } as const };
}
