import { CONTROL_ACTIONS, type ControlAction, type DryRunReply } from '@batuta/contracts';
import { ERROR_CODES, isErrorCode, type ErrorCode } from '@batuta/errors';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IDField } from '../http/response-fields';
import { MatrixValuesField, ResourceIDField } from '../http/fields';

export class RunInput {
  @MatrixValuesField({
    optional: true,
    description: 'Values by variable name; what is absent takes its default.',
    examples: [{ total: '10,50' }],
  })
  matrix?: Record<string, unknown>;

  @ResourceIDField({ optional: true, description: 'Absent = the one registered on the process.' })
  environmentID?: string;
}

export class RerunInput {
  @MatrixValuesField({
    optional: true,
    description:
      'Values by variable name; what is absent stays as it was, but a Secreto that had a value must be sent again.',
    examples: [{ total: '10,50' }],
  })
  matrix?: Record<string, unknown>;

  @ResourceIDField({ optional: true, description: 'Absent = the one in which the instance ran.' })
  environmentID?: string;
}

export class RunAnswer {
  @IDField()
  instanceID!: string;

  @ApiProperty({
    enum: ['started', 'queued'],
    description: '`started`: an agent that can run it is connected, but may be busy. `queued`: none is.',
  })
  status!: 'started' | 'queued';
}

export class RunRefusal {
  @ApiProperty({ enum: Object.keys(ERROR_CODES).filter(isErrorCode) })
  code!: ErrorCode;

  @ApiProperty()
  message!: string;
}

export class RefusedValue {
  @ApiProperty({ description: 'As it was sent.' })
  name!: string;

  @ApiProperty({ examples: ['total: "1,2,3" is not a number'] })
  message!: string;
}

export class PlannedEnvironment {
  @IDField()
  environmentID!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'Whether any agent is connected now, whatever steps it can run.' })
  online!: boolean;
}

export class DryRunAnswer implements DryRunReply {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The values as the flow would get them, a Secreto masked; absent when a value is refused.',
  })
  matrix?: Record<string, unknown>;

  @ApiProperty({
    type: [RunRefusal],
    description: 'In the order in which a start would meet them, without checks that need what was refused.',
  })
  refusals!: RunRefusal[];

  @ApiProperty({
    type: [RefusedValue],
    required: false,
    description: 'The values that do not convert and the names of no variable, up to 200; absent when none is refused.',
  })
  refusedValues?: RefusedValue[];

  @ApiProperty({
    type: PlannedEnvironment,
    required: false,
    description: 'Where it would run; absent when that is out of reach.',
  })
  environment?: PlannedEnvironment;

  @ApiProperty({
    enum: ['started', 'queued'],
    required: false,
    description: 'What the start would answer; absent when it is refused.',
  })
  status?: 'started' | 'queued';
}

/** The action is stored; an agent that runs the instance obeys afterwards. */
export class ControlDone {
  @ApiProperty({ type: 'boolean', enum: [true] })
  ok!: true;

  @ApiProperty({ enum: CONTROL_ACTIONS })
  action!: ControlAction;
}
