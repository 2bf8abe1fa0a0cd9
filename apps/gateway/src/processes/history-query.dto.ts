import { presenceRule, fieldRule } from '@batuta/http';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { DateTime } from 'luxon';
import { IsWholeNumber } from '../http/fields';
import { readHistoryCursor } from './history-cursor';

const MAX_PAGE_ITEMS = 500;

const IsDay = (): PropertyDecorator => fieldRule('isDay', 'must be a day, YYYY-MM-DD', isDay);

const IsCursor = (): PropertyDecorator => fieldRule('isCursor', 'must be the text in `older`', isCursor);

/** The query of contract 4.7; `resolveHistoryRange` fills in the defaults of the days. */
export class HistoryQuery {
  @ApiPropertyOptional({ format: 'date', description: 'First day, in America/Sao_Paulo; 30 days ago unless sent.' })
  @presenceRule({ optional: true })
  @IsDay()
  from?: string;

  @ApiPropertyOptional({ format: 'date', description: 'Last day, in America/Sao_Paulo; today unless sent.' })
  @presenceRule({ optional: true })
  @IsDay()
  to?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_PAGE_ITEMS, default: 50 })
  @IsWholeNumber(1, MAX_PAGE_ITEMS)
  limit: number = 50;

  @ApiPropertyOptional({
    description: 'Only executions older than this, which is the text in `older`, or the id of an execution.',
  })
  @presenceRule({ optional: true })
  @IsCursor()
  before?: string;
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && DateTime.fromISO(value).isValid;
}

function isCursor(value: unknown): boolean {
  const position = readHistoryCursor(value);
  return position !== undefined && (position.from === undefined || isDay(position.from));
}
