import { CONTROL_ACTIONS, type ControlAction } from '@batuta/contracts';
import { presenceRule, refusedAs } from '@batuta/http';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { IsID, IsWholeNumber } from '../http/fields';

const MAX_PAGE_LINES = 1_000;
const MAX_LINE_NUMBER = 999_999_999;

/** The instance id of the path. An id that is no UUID is refused like an id that does not exist. */
const IsInstanceID = () => IsID('INSTANCE_NOT_FOUND', 'instanceID: no such instance', { namesField: true });

export class InstanceParams {
  @ApiProperty({ format: 'uuid', description: 'The instance, from its start.' })
  @IsInstanceID()
  iid!: string;
}

export class EvidenceParams extends InstanceParams {
  @ApiProperty({ format: 'uuid', description: 'The picture, from the `evidence` of a log line.' })
  @IsID('NOT_FOUND', 'evidence: no such picture', { namesField: true })
  id!: string;
}

export class ControlParams {
  @ApiProperty({ enum: CONTROL_ACTIONS, description: 'What to do.' })
  @IsIn(CONTROL_ACTIONS, {
    ...refusedAs('INVALID_ACTION'),
    message: `must be one of ${CONTROL_ACTIONS.join(', ')}`,
  })
  action!: ControlAction;

  @ApiProperty({ format: 'uuid', description: 'The instance, from its start.' })
  @IsInstanceID()
  iid!: string;
}

/** The query of `GET /instances/:iid/logs` (contract 4.11). */
export class LogQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE_LINES,
    default: MAX_PAGE_LINES,
    description: 'The maximum number of lines: the newest, or with `after` the oldest.',
  })
  @IsWholeNumber(1, MAX_PAGE_LINES)
  limit: number = MAX_PAGE_LINES;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_LINE_NUMBER,
    description: 'Only lines after the line with this number.',
  })
  @presenceRule({ optional: true })
  @IsWholeNumber(0, MAX_LINE_NUMBER)
  after?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LINE_NUMBER,
    description: 'Only lines before the line with this number.',
  })
  @presenceRule({ optional: true })
  @IsWholeNumber(1, MAX_LINE_NUMBER)
  before?: number;
}
