import { execution, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { CreditService } from './credit.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

@Controller()
export class CreditHandlers {
  constructor(private readonly credit: CreditService) {}

  @Handles(execution.credits)
  async credits({ companyIDs }: Request['credits']): Reply['credits'] {
    return { balances: await this.credit.balances(companyIDs) };
  }

  @Handles(execution.setCredits)
  async setCredits({ companyID, credits }: Request['setCredits']): Reply['setCredits'] {
    return { balance: await this.credit.set(companyID, credits) };
  }
}
