import { notifications } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';

/** Gathered for so long: whoever follows an instance does not notice, and busy replicas send few messages. */
const GATHER_MILLISECONDS = 5;

/** Tells those who follow instances that there is something to look at. */
@Injectable()
export class Changes {
  private changed: Set<string> | undefined;

  constructor(private readonly rpc: Rpc) {}

  tell(instanceID: string): void {
    if (this.changed) {
      this.changed.add(instanceID);
      return;
    }
    const changed = new Set([instanceID]);
    this.changed = changed;
    setTimeout(() => {
      this.changed = undefined;
      this.rpc.notify(notifications.instancesChanged, { instanceIDs: [...changed] });
    }, GATHER_MILLISECONDS).unref();
  }
}
