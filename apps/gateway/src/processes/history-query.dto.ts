import { presenceRule, fieldRule } from '@batuta/http';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsWholeNumber } from '../http/fields';
import { HISTORY_CURSOR_PATTERN } from './history-cursor';
import { isDay } from './history-day';

const MAX_PAGE_ITEMS = 500;

const IsDay = (): PropertyDecorator => fieldRule('isDay', 'must be a day, YYYY-MM-DD', isDay);

const IsCursor = (): PropertyDecorator => fieldRule('isCursor', 'must be the text in `older`', isCursor);

/** The query of contract 4.7; `resolveHistoryRange` fills in the defaults of the days. */
export class HistoryQuery {
  @ApiPropertyOptional({
    format: 'date',
    description: 'First day on which an execution began, in America/Sao_Paulo; 30 days ago unless sent.',
  })
  @presenceRule({ optional: true })
  @IsDay()
  from?: string;

  @ApiPropertyOptional({
    format: 'date',
    description: 'Last day, inclusive, on which an execution began, in America/Sao_Paulo; today unless sent.',
  })
  @presenceRule({ optional: true })
  @IsDay()
  to?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_PAGE_ITEMS, default: 50 })
  @IsWholeNumber(1, MAX_PAGE_ITEMS)
  limit: number = 50;

  @ApiPropertyOptional({
    pattern: HISTORY_CURSOR_PATTERN.source,
    description: 'Only executions older than this, which is the text in `older`, or the id of an execution.',
  })
  @presenceRule({ optional: true })
  @IsCursor()
  before?: string;
}

function isCursor(value: unknown): boolean {
  return typeof value === 'string' && HISTORY_CURSOR_PATTERN.test(value);
}
