import { execution, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { AwaitedStateService } from './awaited-state.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

@Controller()
export class AnswerHandlers {
  constructor(private readonly awaitedStates: AwaitedStateService) {}

  @Handles(execution.awaited)
  async awaited({ instanceIDs }: Request['awaited']): Reply['awaited'] {
    return { states: await this.awaitedStates.states(instanceIDs) };
  }
}
