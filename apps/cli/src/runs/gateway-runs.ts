import type { Batuta, ControlAction } from '@batuta/client';
import type { Context } from '../context';
import type { RunClient } from './run-client';

export class GatewayRuns implements RunClient {
  private readonly batuta: Batuta;
  private readonly signal: AbortSignal;

  constructor({ gateway, terminal }: Context) {
    this.batuta = gateway;
    this.signal = terminal.signal;
  }

  status(instanceID: string) {
    return this.batuta.instance(instanceID).status();
  }

  logs(instanceID: string, limit: number) {
    return this.batuta.instance(instanceID).logs({ limit });
  }

  events(instanceID: string) {
    return this.batuta.instance(instanceID).events({ signal: this.signal });
  }

  control(instanceID: string, action: ControlAction): Promise<void> {
    return this.batuta.instance(instanceID)[action]();
  }
}
