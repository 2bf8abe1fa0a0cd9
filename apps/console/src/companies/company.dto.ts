import { ApiProperty } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import { FlagField, LineField, OneOfField, ResourceIDField, WholeNumberField } from '../http/fields';

const CORRECTIONS = ['set', 'add'] as const;
const MAX_CREDITS = 1_000_000_000;

export class CompanyInput {
  @LineField({ examples: ['Acme Ltda.'] })
  name!: string;

  @ResourceIDField()
  planId!: string;
}

export class CompanyChange {
  @ResourceIDField({
    optional: true,
    description: 'The new plan holds at once; if it has fewer credits, these apply from the next month.',
  })
  planId?: string;

  @FlagField({
    optional: true,
    description:
      'True: calls of its accounts and starts of their processes are refused at once with OWNER_INACTIVE. False: sessions and credentials ' +
      'work again.',
  })
  suspended?: boolean;

  @WholeNumberField(0, MAX_CREDITS, {
    optional: true,
    description: 'The new balance; the difference is booked in the ledger.',
  })
  credits?: number;
}

export class CreditCorrectionInput {
  @ResourceIDField({ description: 'A new id of the caller: a call that is repeated with it corrects once.' })
  id!: string;

  @OneOfField(CORRECTIONS, { description: '`set`: `amount` is the new balance. `add`: it is the difference.' })
  how!: (typeof CORRECTIONS)[number];

  @WholeNumberField(-MAX_CREDITS, MAX_CREDITS, {
    description:
      'Negative with `add` = takes away. Refused when the new balance would be below 0 or above 1,000,000,000.',
  })
  amount!: number;

  @LineField({ max: 200, description: 'Stands in the ledger, which administrators of the company read.' })
  reason!: string;
}

export class CreditBalance {
  @IntegerField({ description: 'The balance after the correction; after a repeated call the balance of now.' })
  credits!: number;
}

export class CompanyAnswer {
  @IDField()
  id!: string;

  @ApiProperty()
  name!: string;

  @IDField()
  planId!: string;

  @ApiProperty({
    description: 'True: calls of its accounts and starts of their processes are refused with OWNER_INACTIVE.',
  })
  suspended!: boolean;

  @IntegerField({ required: false, description: 'In the list, and where it was set.' })
  credits?: number;

  @TimeField()
  createdAt!: string;
}

export class CompanyList {
  @ApiProperty({ type: [CompanyAnswer] })
  companies!: CompanyAnswer[];
}
