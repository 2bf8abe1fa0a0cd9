import { execution, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { ControlService } from './control.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

@Controller()
export class ControlHandlers {
  constructor(private readonly controls: ControlService) {}

  @Handles(execution.control)
  async control({ instanceID, action, viewer, executor }: Request['control']): Reply['control'] {
    await this.controls.control(instanceID, action, viewer, executor);
    return { ok: true, action };
  }

  @Handles(execution.desired)
  async desired({ sessionIDs }: Request['desired']): Reply['desired'] {
    return { instances: await this.controls.desiredStates(sessionIDs) };
  }
}
