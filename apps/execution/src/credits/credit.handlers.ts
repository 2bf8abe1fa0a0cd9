import { execution, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { creditEntries } from './credit-entries.repository';
import { CreditService } from './credit.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

@Controller()
export class CreditHandlers {
  constructor(
    private readonly credit: CreditService,
    private readonly store: Store,
  ) {}

  @Handles(execution.credits)
  async credits({ companyIDs }: Request['credits']): Reply['credits'] {
    return { balances: await this.credit.balances(companyIDs) };
  }

  @Handles(execution.creditEntries)
  entries({ companyID, ...page }: Request['creditEntries']): Reply['creditEntries'] {
    return creditEntries(this.store, companyID, page);
  }

  /** Sets the balance, without reason and id: a repeated request sets it again. */
  @Handles(execution.setCredits)
  async setCredits(correction: Request['setCredits']): Reply['setCredits'] {
    return { balance: await this.credit.correct(correction) };
  }

  /** Sets or changes the balance; a request whose `id` was carried out before changes nothing. */
  @Handles(execution.correctCredits)
  async correctCredits(correction: Request['correctCredits']): Reply['correctCredits'] {
    return { balance: await this.credit.correct(correction) };
  }
}
