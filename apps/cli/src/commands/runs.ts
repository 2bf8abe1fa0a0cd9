import { answerTo, type ControlAction } from '@batuta/client';
import type { RunAnswerItem, RunList } from '@batuta/client/console-types';
import type { Context } from '../context';
import { ConsoleRuns } from '../runs/console-runs';
import { GatewayRuns } from '../runs/gateway-runs';
import type { RunClient } from '../runs/run-client';
import { awaitRun, showRunEvents, lineText } from '../runs/watch-run';
import { addAction } from './action';
import { parseLimit, parseWholeNumber } from './whole-number';
import { processIDOf } from '../connections/named-resources';
import type { Registration } from './registration';

interface ListOptions {
  limit: string;
  status?: string;
  trigger?: string;
}

interface LogOptions {
  limit: string;
  follow?: boolean;
}

const MAX_LIST_ITEMS = 500;
const DEFAULT_LIST_ITEMS = '50';
const DEFAULT_LINES = '1000';
const DEFAULT_WAIT_SECONDS = '3600';
const CONTROL_ACTIONS: Record<ControlAction, string> = {
  stop: 'stop a run',
  pause: 'pause a run before its next step',
  resume: 'let a paused run continue',
};

export function registerRuns({ addNoun, program, terminal }: Registration): void {
  const runs = addNoun('runs', 'executions of processes; <run> is the id that batuta start shows')
    .addVerb<ListOptions>(
      'list [process]',
      'show the newest runs of a process, or of all of them',
      listRuns,
      (command) =>
        command
          .option('--status <words>', 'only these, such as error,terminated')
          .option('--trigger <words>', 'only what api, schedule, webhook, manual or debug started')
          .option('--limit <number>', 'how many', DEFAULT_LIST_ITEMS),
    )
    .addVerb('show <run>', 'show the state of a run', async (context, [id = '']) => {
      context.output.fields(await createRunClient(context).status(id));
    })
    .addVerb<{ within: string }>(
      'wait <run>',
      'await the end; the exit code is 0 only after success',
      async (context, [id = ''], { within }) =>
        awaitRun(context, createRunClient(context), id, parseWholeNumber('--within', within)),
      (command) => command.option('--within <seconds>', 'the longest wait', DEFAULT_WAIT_SECONDS),
    );
  for (const action of ['stop', 'pause', 'resume'] as const) {
    runs.addVerb(`${action} <run>`, CONTROL_ACTIONS[action], async (context, [id = '']) => {
      await createRunClient(context).control(id, action);
      context.output.show({ instanceID: id, action, ok: true }, `${action}: accepted for ${id}`);
    });
  }
  const logs = program
    .command('logs <run>')
    .description('show the log of a run')
    .option('--follow', 'go on until the run ends; the exit code is 0 only after success')
    .option('--limit <number>', 'how many of the newest lines', DEFAULT_LINES);
  addAction<LogOptions>(logs, terminal, showLog);
}

async function listRuns({ console, output }: Context, [given]: string[], options: ListOptions): Promise<void> {
  const process = given === undefined ? undefined : await processIDOf(console, given);
  const { status, trigger, limit } = options;
  const filter = Object.fromEntries(
    Object.entries({ process, status, trigger }).filter(([, value]) => value !== undefined),
  );
  const wanted = parseLimit(limit);
  const runs: RunAnswerItem[] = [];
  let next: { before?: string } | undefined = {};
  while (next && runs.length < wanted) {
    const query: object = { ...filter, ...next, limit: Math.min(wanted - runs.length, MAX_LIST_ITEMS) };
    const page: RunList = await answerTo(console.GET('/manage/v1/runs', { params: { query } }));
    runs.push(...page.runs);
    next = page.older;
    output.progress(`${runs.length} runs …`);
  }
  output.table({ runs }, runs, [
    { title: 'RUN', of: ({ instanceID }) => instanceID },
    { title: 'PROCESS', of: ({ processName }) => processName },
    { title: 'STATUS', of: (run) => (run.paused ? `${run.status}, paused` : run.status) },
    { title: 'BY', of: ({ trigger: origin, userName }) => `${origin} ${userName}` },
    { title: 'ACCEPTED', of: ({ acceptedAt }) => acceptedAt },
    { title: 'ENDED', of: ({ finishedAt }) => finishedAt },
    { title: 'FAILURE', of: ({ errorMessage }) => errorMessage },
  ]);
}

async function showLog(context: Context, [id = '']: string[], { follow, limit }: LogOptions): Promise<void> {
  const client = createRunClient(context);
  if (follow) return showRunEvents(context, client, id);
  const wanted = parseLimit(limit);
  // One line more says whether the log is longer.
  const lines = await client.logs(id, wanted + 1);
  const logs = lines.slice(-wanted);
  if (logs.length === 0 && !context.output.json) return context.output.note('The log is empty.');
  context.output.show({ logs }, logs.map((line) => lineText(context, line)).join('\n'));
  if (lines.length > wanted) context.output.note(`Older lines are left out: --limit shows more than ${wanted}.`);
}

/** Runs over the public API if the command uses the gateway (`Context.usesGateway`), otherwise over the console. */
function createRunClient(context: Context): RunClient {
  return context.usesGateway ? new GatewayRuns(context) : new ConsoleRuns(context);
}
