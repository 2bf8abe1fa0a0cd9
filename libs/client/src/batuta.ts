import type { Account, Environment, ProcessSummary } from './generated/api';
import { answerTo, createHttp, type Connection, type Http } from './http';
import { InstanceClient } from './instance';
import { ProcessClient } from './process';
import { SchedulesClient } from './schedules';

/** The external API, with one account credential. */
export class Batuta {
  /** Every route as the document has it, for what the methods do not cover. */
  readonly http: Http;
  readonly schedules: SchedulesClient;

  constructor(connection: Connection) {
    this.http = createHttp(connection);
    this.schedules = new SchedulesClient(this.http);
  }

  /** Throws unless the API answers; needs no credential. */
  async ping(): Promise<{ version: string }> {
    return answerTo(this.http.GET('/v1/ping'));
  }

  async me(): Promise<Account> {
    return (await answerTo(this.http.GET('/v1/me'))).account;
  }

  async environments(): Promise<Environment[]> {
    return (await answerTo(this.http.GET('/v1/environments'))).environments;
  }

  async processes(): Promise<ProcessSummary[]> {
    return (await answerTo(this.http.GET('/v1/processes'))).processes;
  }

  /** Asks nothing yet. */
  process(processID: string, processKey: string): ProcessClient {
    return new ProcessClient(this.http, processID, processKey);
  }

  /** Asks nothing yet. */
  instance(instanceID: string): InstanceClient {
    return new InstanceClient(this.http, instanceID);
  }
}
