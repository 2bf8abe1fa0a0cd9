import { STEP_CATEGORIES, stepTypeNames, type StepCategory, type StepType } from '@batuta/flow';
import { ApiProperty } from '@nestjs/swagger';

export class ConnectorAnswer {
  @ApiProperty({ enum: stepTypeNames(), description: 'The type of the steps that it runs.' })
  type!: StepType;

  @ApiProperty({ enum: STEP_CATEGORIES })
  category!: StepCategory;

  @ApiProperty({
    example: 'Needs an agent with the ability "rest". Gives {as} with status, headers, body, {as.FILE}, {as.BUFFER}.',
  })
  description!: string;

  @ApiProperty({ description: 'The ability that an agent announces when it runs such steps.', example: 'rest' })
  ability!: string;

  @ApiProperty({
    description: 'The automatic variables that a step gives; `as` stands for the name in its field `as`.',
    example: ['as', 'as.status', 'as.headers', 'as.body', 'as.FILE', 'as.BUFFER'],
  })
  variables!: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema (draft 2020-12) of one step of the type, complete in itself.',
  })
  schema!: object;
}

export class ConnectorList {
  @ApiProperty({ type: [ConnectorAnswer] })
  connectors!: ConnectorAnswer[];
}
