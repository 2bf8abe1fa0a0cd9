import type { operations, Schedule } from './generated/api';
import { answerTo, type Http } from './http';

/** `processID` is the process that the key belongs to. */
export type ScheduleInput = operations['schedules.create']['requestBody']['content']['application/json'];

/** The schedules of the account: on its own processes, and those that it made on shared ones. */
export class SchedulesClient {
  constructor(private readonly http: Http) {}

  async list(): Promise<Schedule[]> {
    return (await answerTo(this.http.GET('/v1/schedules'))).schedules;
  }

  /** Resolves to its id. Not repeated by itself: a second call would make a second schedule. */
  async create(processKey: string, body: ScheduleInput): Promise<string> {
    const headers = { 'X-Process-Key': processKey };
    return (await answerTo(this.http.POST('/v1/schedules', { headers, body }))).id;
  }

  switchOn(id: string): Promise<void> {
    return this.change(id, true);
  }

  switchOff(id: string): Promise<void> {
    return this.change(id, false);
  }

  /** For good. */
  async remove(id: string): Promise<void> {
    await answerTo(this.http.DELETE('/v1/schedules/{id}', { params: { path: { id } } }));
  }

  private async change(id: string, active: boolean): Promise<void> {
    await answerTo(this.http.PATCH('/v1/schedules/{id}', { params: { path: { id } }, body: { active } }));
  }
}
