import { ApiProperty, type ApiBodyOptions } from '@nestjs/swagger';
import { IntegerField, JsonField, TimeField } from '../http/answers';

/** Mistakes in a definition are reported as problems and not refused, because a draft may be unfinished. */
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

export class FlowProblems {
  @ApiProperty({ type: [FlowProblem] })
  problems!: FlowProblem[];
}

export class FlowAnswer extends FlowProblems {
  @JsonField({ description: 'null while none was saved.' })
  flow!: unknown;
}

export class PublishedFlow {
  @IntegerField()
  version!: number;

  @ApiProperty({
    type: [String],
    description: 'Sentences about environments of the process in which no connected agent runs every step.',
    examples: [['No connected agent of the environment "Robots" runs browser steps.']],
  })
  warnings!: string[];
}

export class VersionAnswer {
  @IntegerField()
  version!: number;

  @ApiProperty({ description: 'Name of the account.' })
  publishedBy!: string;

  @TimeField()
  publishedAt!: string;
}

export class VersionList {
  @ApiProperty({ type: [VersionAnswer] })
  versions!: VersionAnswer[];
}
