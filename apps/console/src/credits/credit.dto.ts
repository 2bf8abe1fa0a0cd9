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
      '`reset` = the credits of a new month; `upgrade` = of a raised plan; `adjust` = by an operator; `carried` = the sum of ' +
      'older entries, which the plan no longer keeps.',
  })
  kind!: CreditEntryKind;

  @IntegerField({ description: 'Negative = spent.' })
  amount!: number;

  @IDField({ nullable: true })
  instanceID!: string | null;

  @ApiProperty({ required: false, description: 'Why an operator adjusted the credits.' })
  reason?: string;
}

export class LedgerAnswer {
  @ApiProperty({ type: [LedgerEntryAnswer] })
  entries!: LedgerEntryAnswer[];

  @ApiProperty({ type: NumberCursor, required: false, description: 'Older ones exist: `?before=` reads them.' })
  older?: NumberCursor;
}
