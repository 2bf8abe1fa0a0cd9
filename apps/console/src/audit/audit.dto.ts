import { MANAGEMENT_ACTIONS, type ManagementAction } from '@batuta/audit';
import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, LineField, QueryListField, ResourceIDField } from '../http/fields';
import { LimitQuery } from '../http/page.dto';
import { IDField, TimeField } from '../http/response-fields';

const MAX_OBJECT_CHARACTERS = 254;
export const ACTOR_KINDS = ['person', 'credential', 'operator', 'unknown'] as const;

export class ManagementEventQuery extends LimitQuery {
  @ResourceIDField({ optional: true, description: 'Only what this account did, by itself or by a credential.' })
  person?: string;

  @QueryListField(MANAGEMENT_ACTIONS, { optional: true, examples: ['flow.save,flow.publish'] })
  action?: ManagementAction[];

  @LineField({
    max: MAX_OBJECT_CHARACTERS,
    optional: true,
    description: 'Only what was done to this object, or to what belongs to this process.',
  })
  object?: string;

  @DateTimeField({ optional: true, description: 'Only events of this time or later.' })
  from?: string;

  @DateTimeField({ optional: true, description: 'Only events before this time.' })
  to?: string;

  @ResourceIDField({ optional: true, description: 'The text in `older`: only older events.' })
  before?: string;
}

export class EventActor {
  @ApiProperty({
    enum: ACTOR_KINDS,
    description:
      '`credential`: over the API. `unknown`: the event names no account, such as one of a service of the previous release.',
  })
  kind!: (typeof ACTOR_KINDS)[number];

  @IDField({
    nullable: true,
    description: 'null when `unknown`; to a company also for an operator, and for an account of another company.',
  })
  accountID!: string | null;

  @ApiProperty({ description: 'The name that the account has now; empty where `accountID` is null.' })
  name!: string;

  @ApiProperty({
    description: 'The address that the account has now; empty when `unknown`, and to a company for an operator.',
  })
  email!: string;

  @IDField({
    nullable: true,
    description: 'null without a credential; to a company also for an account of another company.',
  })
  credentialID!: string | null;

  @ApiProperty({
    description: 'Label of the credential; empty where `credentialID` is null or the credential was deleted.',
  })
  label!: string;
}

export class ManagementEventAnswer {
  @IDField()
  id!: string;

  @TimeField()
  at!: string;

  @ApiProperty({ enum: MANAGEMENT_ACTIONS, enumName: 'ManagementAction' })
  action!: ManagementAction;

  @ApiProperty({ description: 'The id of the object; of a vault secret its key, of a share the e-mail address.' })
  object!: string;

  @IDField({
    nullable: true,
    description: 'The process that the object is or belongs to; null for an object of no process.',
  })
  processID!: string | null;

  @ApiProperty({ type: EventActor })
  by!: EventActor;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The IP address that the call came from; null when it is not known, for an operator, and for an account of another company.',
  })
  address!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The `X-Request-Id` of the call.' })
  requestID!: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Names and settings; never a secret.' })
  detail!: Record<string, unknown>;
}

export class OlderEventsCursor {
  @IDField()
  before!: string;
}

export class ManagementEventList {
  @ApiProperty({ type: [ManagementEventAnswer] })
  events!: ManagementEventAnswer[];

  @ApiProperty({
    type: OlderEventsCursor,
    required: false,
    description:
      'Older ones may exist: `?before=` reads them. A page of a rare match may have no event and still have it.',
  })
  older?: OlderEventsCursor;
}
