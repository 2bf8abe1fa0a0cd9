import { ApiProperty, type ApiBodyOptions } from '@nestjs/swagger';
import { QueryNumberField } from '../http/fields';
import { LimitQuery } from '../http/page.dto';
import { ProcessPath } from '../http/path.dto';
import { IntegerField, JsonField, TimeField } from '../http/response-fields';

/** The schema of a request body with a flow: any object, because mistakes in a definition are reported as problems and not refused. */
export const FLOW_BODY: ApiBodyOptions = {
  schema: {
    type: 'object',
    additionalProperties: true,
    description: 'The flow definition, see docs/flow.schema.json.',
    examples: [{ start: 'greet', steps: [{ name: 'greet', type: 'script', code: 'return "hello"', as: 'greeting' }] }],
  },
};

export class FlowProblem {
  @ApiProperty({ description: 'JSON Pointer into the definition.', examples: ['/steps/0/routes/0/to'] })
  path!: string;

  @ApiProperty()
  message!: string;
}

export class DeclaredFieldAnswer {
  @ApiProperty({ examples: ['customer'] })
  name!: string;

  @ApiProperty({
    type: [String],
    description: 'JSON Pointers to the texts that declare it as {{name}}.',
    examples: [['/steps/0/body']],
  })
  paths!: string[];

  @ApiProperty({ description: 'The mapping of the step gives it a value.' })
  mapped!: boolean;
}

export class StepFieldsAnswer {
  @ApiProperty({ description: 'Name of the step.' })
  step!: string;

  @ApiProperty({ type: [DeclaredFieldAnswer] })
  fields!: DeclaredFieldAnswer[];
}

export class FlowProblems {
  @ApiProperty({ type: [FlowProblem] })
  problems!: FlowProblem[];

  @ApiProperty({ type: [FlowProblem], description: 'What keeps nothing from publication and yet is seldom meant.' })
  warnings!: FlowProblem[];

  @ApiProperty({ type: [StepFieldsAnswer], description: 'The fields that steps declare as {{name}}.' })
  fields!: StepFieldsAnswer[];
}

export class FlowAnswer extends FlowProblems {
  @JsonField({ description: 'null while none was saved.' })
  flow!: unknown;
}

export class PublishedFlow {
  @IntegerField({ description: 'The number of the new version: one more than that of the last one.' })
  version!: number;

  @ApiProperty({
    type: [String],
    description:
      'Sentences about environments of the process in which no connected agent runs every step, and the warnings of the flow.',
    examples: [['No connected agent of the environment "Robots" runs browser steps.']],
  })
  warnings!: string[];
}

export class VersionAnswer {
  @IntegerField()
  version!: number;

  @ApiProperty({
    description:
      'Name that the account has now. One of another company, other than the owner, is shown to the owner by its e-mail address and to ' +
      'a share not at all.',
  })
  publishedBy!: string;

  @TimeField()
  publishedAt!: string;
}

export class VersionWithFlow extends VersionAnswer {
  @JsonField()
  flow!: unknown;
}

export class VersionsQuery extends LimitQuery {
  @QueryNumberField(
    { min: 1, message: 'must be the number of a version' },
    { optional: true, description: 'The number of the last version read.' },
  )
  before?: number;
}

export class VersionPath extends ProcessPath {
  @QueryNumberField({ min: 1, message: 'must be the number of a version' })
  version!: number;
}

export class VersionList {
  @ApiProperty({ type: [VersionAnswer] })
  versions!: VersionAnswer[];
}
