import { ApiProperty } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/answers';
import { Flag, Line, ResourceID, WholeNumber } from '../http/fields';

export class CompanyInput {
  @Line({ examples: ['Acme Ltda.'] })
  name!: string;

  @ResourceID()
  planId!: string;
}

export class CompanyChange {
  @ResourceID({ optional: true })
  planId?: string;

  @Flag({ optional: true })
  suspended?: boolean;

  @WholeNumber(0, 1_000_000_000, {
    optional: true,
    description: 'The new balance; the difference is booked in the ledger.',
  })
  credits?: number;
}

export class CompanyAnswer {
  @IDField()
  id!: string;

  @ApiProperty()
  name!: string;

  @IDField()
  planId!: string;

  @ApiProperty()
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
