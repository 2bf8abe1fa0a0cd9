import { CREDIT_ENTRY_KINDS, type CreditEntry, type CreditEntryKind } from '@batuta/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, QueryNumberField } from '../http/fields';
import { LimitQuery, NumberCursor } from '../http/page.dto';
import { IDField, IntegerField, TimeField } from '../http/response-fields';

export class LedgerQuery extends LimitQuery {
  @DateTimeField({ optional: true, description: 'Only entries of then or later.' })
  from?: string;

  @DateTimeField({ optional: true, description: 'Only entries before.' })
  to?: string;

  @QueryNumberField(
    { min: 1, message: 'must be the number in `older`' },
    { optional: true, description: 'Only older entries.' },
  )
  before?: number;
}

export class LedgerEntryAnswer implements CreditEntry {
  @TimeField()
  at!: string;

  @ApiProperty({
    enum: CREDIT_ENTRY_KINDS,
    description:
      '`start` = the credit of an execution; `refund` = that of one that ended in the queue; `reset` = at the first use in a new month, from the ' +
      'balance to the credits of the plan; `upgrade` = the difference to a raised plan; `adjust` = by an operator; `carried` = the sum of older ' +
      'entries, which the plan no longer keeps.',
  })
  kind!: CreditEntryKind;

  @IntegerField({ description: 'What the entry adds to the balance; negative = takes from it.' })
  amount!: number;

  @IDField({ nullable: true, description: 'Of a `start` or a `refund`; else null.' })
  instanceID!: string | null;

  @ApiProperty({
    required: false,
    description: 'What the operator wrote about an `adjust`; absent when it wrote nothing.',
  })
  reason?: string;
}

export class LedgerAnswer {
  @ApiProperty({ type: [LedgerEntryAnswer] })
  entries!: LedgerEntryAnswer[];

  @ApiProperty({ type: NumberCursor, required: false, description: 'Older ones exist: `?before=` reads them.' })
  older?: NumberCursor;
}
