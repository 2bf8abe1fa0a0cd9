import type { operations, Schedule, ScheduleList } from './generated/api';
import { answerTo, requireHeaderText, type TypedHttp } from './http';

/** The body of `POST /schedules`; `processID` is the process of the process key. */
export type ScheduleInput = operations['schedules.create']['requestBody']['content']['application/json'];

type ScheduleQuery = NonNullable<operations['schedules.list']['parameters']['query']>;

/** A client of the account's schedules: those of its own processes, and those that it created for shared processes. */
export class SchedulesClient {
  constructor(private readonly http: TypedHttp) {}

  /** All schedules of the account, oldest first, read page by page. */
  async list(): Promise<Schedule[]> {
    const schedules: Schedule[] = [];
    let query: ScheduleQuery | undefined = {};
    while (query) {
      const page: ScheduleList = await answerTo(this.http.GET('/v1/schedules', { params: { query } }));
      schedules.push(...page.schedules);
      query = page.newer;
    }
    return schedules;
  }

  /** One of the schedules that `list` has; any other one is refused with SCHEDULE_NOT_FOUND. */
  find(id: string): Promise<Schedule> {
    return answerTo(this.http.GET('/v1/schedules/{id}', { params: { path: { id } } }));
  }

  /** Creates a schedule and resolves with its id. Not retried, because a second call would create a second schedule. */
  async create(processKey: string, body: ScheduleInput): Promise<string> {
    requireHeaderText('processKey', processKey);
    const headers = { 'X-Process-Key': processKey };
    return (await answerTo(this.http.POST('/v1/schedules', { headers, body }))).id;
  }

  switchOn(id: string): Promise<void> {
    return this.setActive(id, true);
  }

  switchOff(id: string): Promise<void> {
    return this.setActive(id, false);
  }

  /** Deletes a schedule with its firings. */
  async remove(id: string): Promise<void> {
    await answerTo(this.http.DELETE('/v1/schedules/{id}', { params: { path: { id } } }));
  }

  private async setActive(id: string, active: boolean): Promise<void> {
    await answerTo(this.http.PATCH('/v1/schedules/{id}', { params: { path: { id } }, body: { active } }));
  }
}
