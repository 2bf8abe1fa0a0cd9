import type { Account, Environment, ProcessSummary } from './generated/api';
import { answerTo, createHttp, type Connection, type TypedHttp } from './http';
import { InstanceClient } from './instance';
import { ProcessClient } from './process';
import { SchedulesClient } from './schedules';

/** A client of the external API with one account credential. Failed calls throw BatutaError or BatutaUnreachable. */
export class Batuta {
  /** The typed routes of the OpenAPI document, for routes without a method here. They resolve with `error` for an error answer. */
  readonly http: TypedHttp;
  readonly schedules: SchedulesClient;

  constructor(connection: Connection) {
    this.http = createHttp(connection);
    this.schedules = new SchedulesClient(this.http);
  }

  /** Checks that the API answers; needs no credential. */
  async ping(): Promise<{ version: string }> {
    return answerTo(this.http.GET('/v1/ping'));
  }

  /** The account of the credential. */
  async me(): Promise<Account> {
    return (await answerTo(this.http.GET('/v1/me'))).account;
  }

  /** The account's own environments, and those that its company shares. */
  async environments(): Promise<Environment[]> {
    return (await answerTo(this.http.GET('/v1/environments'))).environments;
  }

  /** The account's own processes, then those that are shared with it. */
  async processes(): Promise<ProcessSummary[]> {
    return (await answerTo(this.http.GET('/v1/processes'))).processes;
  }

  /** A client of one process; sends no request. Throws UnsendableCall when no header can carry the key. */
  process(processID: string, processKey: string): ProcessClient {
    return new ProcessClient(this.http, processID, processKey);
  }

  /** A client of one instance; sends no request. */
  instance(instanceID: string): InstanceClient {
    return new InstanceClient(this.http, instanceID);
  }
}
