import { fieldRule } from './field-rules';

/** The zone in which every cron expression is read (contract 4.13). */
export const SCHEDULE_TIME_ZONE = 'America/Sao_Paulo';

/** Refuses another `timeZone` of a new schedule, which would run at other hours than its creator means. */
export function OnlyScheduleTimeZone(): PropertyDecorator {
  const message = `must be ${SCHEDULE_TIME_ZONE}: every cronExpression is read in it`;
  return fieldRule('onlyTimeZone', message, (zone) => zone === undefined || zone === SCHEDULE_TIME_ZONE);
}
