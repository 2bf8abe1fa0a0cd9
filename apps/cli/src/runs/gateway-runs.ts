import type { Batuta, ControlAction } from '@batuta/client';
import type { Context } from '../context';
import type { RunClient } from './run-client';

/** Runs that the account of the credential may see. Its constructor throws what `Context.gateway` throws. */
export class GatewayRuns implements RunClient {
  private readonly batuta: Batuta;

  constructor({ gateway }: Context) {
    this.batuta = gateway;
  }

  status(instanceID: string, signal?: AbortSignal) {
    return this.batuta.instance(instanceID).status({ signal });
  }

  logs(instanceID: string, limit: number) {
    return this.batuta.instance(instanceID).logs({ limit });
  }

  events(instanceID: string, signal: AbortSignal) {
    return this.batuta.instance(instanceID).events({ signal });
  }

  control(instanceID: string, action: ControlAction): Promise<void> {
    return this.batuta.instance(instanceID)[action]();
  }
}
