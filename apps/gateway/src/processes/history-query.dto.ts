import { presenceRule, fieldRule } from '@batuta/http';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { DateTime } from 'luxon';
import { IsID, IsWholeNumber } from '../http/fields';

const MAX_PAGE_ITEMS = 500;

const IsDay = (): PropertyDecorator => fieldRule('isDay', 'must be a day, YYYY-MM-DD', isDay);

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
    format: 'uuid',
    description: 'Only executions older than this one, which is the last of an earlier answer.',
  })
  @presenceRule({ optional: true })
  @IsID('BAD_REQUEST', 'must be the id of an execution')
  before?: string;
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && DateTime.fromISO(value).isValid;
}
