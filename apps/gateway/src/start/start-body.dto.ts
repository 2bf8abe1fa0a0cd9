import { fieldRule, presenceRule } from '@batuta/http';
import { ANY_RECORD } from '@batuta/openapi';
import { ApiHideProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ENVIRONMENTS_HINT } from '../common/refusal-hints';
import { IsQueryFlag, IsID, IsMatrix } from '../http/fields';

/** The body of a start (contract 4.8). */
export class StartBody {
  @ApiPropertyOptional({
    ...ANY_RECORD,
    description:
      'Values by variable name, converted by the types of the variables; null counts as not sent. A name that is no variable is refused.',
  })
  @presenceRule({ optional: true })
  @IsMatrix()
  matrix?: Record<string, unknown>;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'Where to run; the environment registered on the process unless sent.',
  })
  @presenceRule({ optional: true })
  @IsID('INVALID_ENVIRONMENT', `must be a UUID; ${ENVIRONMENTS_HINT}`)
  environmentID?: string;

  /** Refused, and not ignored like unknown fields: whoever sends it wants no real start. */
  @ApiHideProperty()
  @fieldRule('notInBody', 'is a query parameter: send ?dryRun=true', (value) => value === undefined)
  dryRun?: unknown;
}

export const START_BODY_EXAMPLES = {
  defaults: { summary: 'With the registered values', value: {} },
  values: {
    summary: 'With values',
    value: { matrix: { customer: 'Empório São João', freight: 'R$ 22,50', token: 's3cret' } },
  },
  elsewhere: { summary: 'In another environment', value: { environmentID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c12' } },
};

export class StartQuery {
  @ApiPropertyOptional({
    default: false,
    description: 'Says what the start would do and what would refuse it; stores and charges nothing.',
  })
  @IsQueryFlag()
  dryRun: boolean = false;
}
