import { answerTo, type Schedule, type ScheduleInput } from '@batuta/client';
import type { FiringList, ScheduleAnswer, ScheduleList } from '@batuta/client/console-types';
import type { Context } from '../context';
import { CommandFailure } from '../exit-codes';
import { collectOption } from './action';
import { environmentIDOf, processIDOf } from '../connections/named-resources';
import { readValues, type ValueOptions } from './start-values';
import { parseLimit } from './whole-number';
import type { Registration } from './registration';

/** The most firings in one answer of the console. */
const MAX_PAGE_FIRINGS = 500;

interface CreateOptions extends ValueOptions {
  name: string;
  cron: string;
  environment?: string;
}

export function registerSchedules({ addNoun }: Registration): void {
  addNoun('schedules', 'cron expressions that start processes, in the time of São Paulo')
    .addVerb('list [process]', 'show the schedules of a process, or all of the account', async (context, [given]) => {
      const schedules = await listSchedules(context, given);
      context.output.table({ schedules }, schedules, [
        { title: 'SCHEDULE', of: ({ id }) => id },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'CRON', of: ({ cronExpression }) => cronExpression },
        { title: 'ACTIVE', of: ({ active }) => active },
        { title: 'PROCESS', of: ({ processName }) => processName },
      ]);
    })
    .addVerb<CreateOptions>('create <process>', 'create a schedule', createSchedule, (command) =>
      command
        .requiredOption('--name <text>', 'the name, which its runs have as user name')
        .requiredOption('--cron <expression>', 'minute, hour, day of month, month, day of week: "0 8 * * MON-FRI"')
        .option('--value <name=text>', 'a value of a variable; repeatable', collectOption)
        .option('--values <file>', 'a JSON object of values, - for the standard input')
        .option('--environment <environment>', 'another environment than that of the process'),
    )
    .addVerb('switch <schedule> <on|off>', 'switch a schedule on or off', switchSchedule)
    .addVerb('delete <schedule>', 'delete a schedule with its firings', async (context, [id = '']) => {
      if (context.usesGateway) await context.gateway.schedules.remove(id);
      else await answerTo(context.console.DELETE('/manage/v1/schedules/{id}', { params: { path: { id } } }));
      context.output.show({ id, deleted: true }, `Deleted ${id}.`);
    })
    .addVerb<{ limit: string }>(
      'firings <schedule>',
      'show the newest firings with their results',
      async (context, [id = ''], { limit }) => {
        const list = await readFirings(context, id, parseLimit(limit));
        context.output.table(list, list.firings, [
          { title: 'TIME', of: ({ nominalAt }) => nominalAt },
          { title: 'RESULT', of: ({ result }) => result },
          { title: 'RUN', of: ({ instanceID }) => instanceID },
          { title: 'REASON', of: ({ reason }) => reason && `${reason.code}: ${reason.message}` },
        ]);
      },
      (command) => command.option('--limit <number>', 'how many', '50'),
    )
    .addVerb(
      'preview <cron>',
      'show the next ten times of a cron expression',
      async ({ console, output }, [cronExpression = '']) => {
        const { times } = await answerTo(console.POST('/manage/v1/schedules/preview', { body: { cronExpression } }));
        output.table({ times }, times, [
          { title: 'SÃO PAULO', of: ({ local }) => local },
          { title: 'UTC', of: ({ at }) => at },
        ]);
      },
    );
}

// The commands list, create, switch and delete call the gateway if the command uses it (`Context.usesGateway`), otherwise the console. The others
// need a login session.

async function listSchedules(context: Context, given: string | undefined): Promise<(Schedule | ScheduleAnswer)[]> {
  const pid = given === undefined || !context.hasSession ? given : await processIDOf(context.console, given);
  if (context.usesGateway) {
    const all = await context.gateway.schedules.list();
    return all.filter(({ processID }) => pid === undefined || processID === pid);
  }
  const { console } = context;
  const schedules: ScheduleAnswer[] = [];
  let query: { after?: string } | undefined = {};
  while (query) {
    const page: ScheduleList = await answerTo(
      pid === undefined
        ? console.GET('/manage/v1/schedules', { params: { query } })
        : console.GET('/manage/v1/processes/{pid}/schedules', { params: { path: { pid }, query } }),
    );
    schedules.push(...page.schedules);
    query = page.newer;
  }
  return schedules;
}

/** As many firings as `limit` says, newest first; those that do not fit into one answer are read page by page. */
async function readFirings({ console }: Context, id: string, limit: number): Promise<FiringList> {
  const list: FiringList = { firings: [] };
  do {
    const query = { ...list.older, limit: Math.min(limit - list.firings.length, MAX_PAGE_FIRINGS) };
    const page: FiringList = await answerTo(
      console.GET('/manage/v1/schedules/{id}/firings', { params: { path: { id }, query } }),
    );
    list.firings.push(...page.firings);
    list.older = page.older;
  } while (list.older && list.firings.length < limit);
  return list;
}

async function createSchedule(context: Context, [given = '']: string[], options: CreateOptions): Promise<void> {
  const { hasSession, output, settings, terminal, usesGateway } = context;
  const { environment, name, cron: cronExpression } = options;
  const schedule = { name, cronExpression, matrix: await readValues(options, terminal) };
  const pid = hasSession ? await processIDOf(context.console, given) : given;
  const environmentID =
    environment !== undefined && hasSession ? await environmentIDOf(context.console, environment) : environment;
  // As a start without a process key, the schedule is then made by the account that is logged in.
  if (usesGateway && !(hasSession && settings.processKey(pid) === undefined)) {
    const id = await createOverGateway(context, { ...schedule, processID: pid, environmentID });
    return output.show({ id }, id);
  }
  const { console } = context;
  const body = { ...schedule, ...(environmentID !== undefined && { environmentID }) };
  const { id } = await answerTo(
    console.POST('/manage/v1/processes/{pid}/schedules', { params: { path: { pid } }, body }),
  );
  output.show({ id }, id);
}

function createOverGateway({ gateway, settings }: Context, schedule: ScheduleInput): Promise<string> {
  const processKey = settings.processKey(schedule.processID);
  if (processKey !== undefined) return gateway.schedules.create(processKey, schedule);
  throw new CommandFailure('usage', 'Without a login a schedule needs a process key.', 'BATUTA_PROCESS_KEY');
}

async function switchSchedule(context: Context, [id = '', state = '']: string[]): Promise<void> {
  if (state !== 'on' && state !== 'off') throw new CommandFailure('usage', 'The second argument must be on or off.');
  const active = state === 'on';
  if (context.usesGateway) {
    await (active ? context.gateway.schedules.switchOn(id) : context.gateway.schedules.switchOff(id));
  } else {
    const init = { params: { path: { id } }, body: { active } };
    await answerTo(context.console.PUT('/manage/v1/schedules/{id}/active', init));
  }
  context.output.show({ id, active }, `The schedule is ${state}.`);
}
