import { ApiProperty } from '@nestjs/swagger';
import { PatternField } from '../http/fields';
import { LimitQuery } from '../http/page.dto';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import { EventActor } from './audit.dto';
import { FEED_CURSOR_PATTERN, NOT_A_FEED_CURSOR_MESSAGE } from './feed-cursor';

export const FEED_SOURCES = ['management', 'instance'] as const;

export class AuditFeedQuery extends LimitQuery {
  @PatternField(FEED_CURSOR_PATTERN, NOT_A_FEED_CURSOR_MESSAGE, {
    optional: true,
    description: 'The `next` of the page before: only what follows it. Absent = from the oldest event on.',
    examples: ['0.0'],
  })
  after?: string;
}

export class AuditFeedItem {
  @ApiProperty({ enum: FEED_SOURCES, description: '`instance`: what happened to an instance or with its process.' })
  source!: (typeof FEED_SOURCES)[number];

  @ApiProperty({ description: 'Unique among the events of its `source`.' })
  id!: string;

  @TimeField()
  at!: string;

  @ApiProperty()
  action!: string;

  @IDField({
    nullable: true,
    description:
      'null for plans, for logins and logouts of operators, and for a process of a company that is no longer known.',
  })
  companyID!: string | null;

  @IDField({ nullable: true, description: 'null for an object of no process.' })
  processID!: string | null;

  @IDField({ nullable: true, description: 'null for `management`, and for what happened with a process as a whole.' })
  instanceID!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Of `management`: the id of the object; of a vault secret its key, of a share the e-mail address.',
  })
  object!: string | null;

  @ApiProperty({
    allOf: [{ $ref: '#/components/schemas/EventActor' }],
    nullable: true,
    description: 'Of `management`: who acted. Operators read who an operator was, companies do not.',
  })
  by!: EventActor | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Of `instance`: who acted, as in the audit trail of the process.',
  })
  executor!: string | null;

  @IDField({
    nullable: true,
    description:
      'Of `instance`: the account that acted; null for a start by webhook and the end of an instance, and to a company for an account of another one.',
  })
  accountID!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'Of `management`: the IP address that the call came from; null when it is not known, and to a company for accounts that are not its own.',
  })
  address!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Of `management`: the `X-Request-Id` of the call.' })
  requestID!: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Names and settings; never a secret.' })
  detail!: Record<string, unknown>;
}

export class AuditFeedPage {
  @ApiProperty({ type: [AuditFeedItem] })
  events!: AuditFeedItem[];

  @ApiProperty({ description: 'What `after` of the next call is, also when the page has no event.' })
  next!: string;

  @ApiProperty({ description: 'Whether further events can be read at once.' })
  more!: boolean;

  @IntegerField({ description: 'An event appears once it is this old, by the clock of the database.' })
  lagSeconds!: number;
}
