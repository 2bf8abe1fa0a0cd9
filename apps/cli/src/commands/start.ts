import { answerTo, BatutaUnreachable, type Batuta } from '@batuta/client';
import type { Context } from '../context';
import { CommandFailure, EXIT_CODES, usageError } from '../exit-codes';
import { ConsoleRuns } from '../runs/console-runs';
import { GatewayRuns } from '../runs/gateway-runs';
import type { StartedRun } from '../runs/run-client';
import { awaitRun, showRunEvents } from '../runs/watch-run';
import { safeJson } from '../terminal/safe-text';
import { addAction, collectOption } from './action';
import { environmentIDOf, processIDOf } from '../connections/named-resources';
import { readValues, type ValueOptions } from './start-values';
import { parseWholeNumber } from './whole-number';
import type { Registration } from './registration';

interface StartCommandOptions extends ValueOptions {
  environment?: string;
  wait?: boolean;
  follow?: boolean;
  within?: string;
  idempotencyKey?: string;
  dryRun?: boolean;
}

const DEFAULT_WAIT_SECONDS = 3600;
const REPLAY_NOTE =
  'A start with this idempotency key was accepted before, by an earlier command or an attempt of this one: this is its run, with its values.';
const MISMATCH_NOTE =
  'Warning: the first start with this idempotency key had other values or another environment, and those of this command are not used.';

export function registerStart({ program, terminal }: Registration): void {
  const start = program
    .command('start <process>')
    .description('start the published version of a process; <process> is an id or the exact name')
    .option(
      '--value <name=text>',
      'a value of a variable; name:=json for numbers, lists and objects; repeatable',
      collectOption,
    )
    .option(
      '--values <file>',
      'a JSON object of values, - for the standard input; for secrets, which an argument would show',
    )
    .option('--environment <environment>', 'another environment than that of the process')
    .option('--wait', 'await the end; the exit code is 0 only after success')
    .option('--follow', 'like --wait, and show the log as it comes')
    .option(
      '--within <seconds>',
      `the longest --wait (${DEFAULT_WAIT_SECONDS}) or --follow (no limit); the run continues after it`,
    )
    .option('--idempotency-key <key>', 'a repeated start with the key gets the first run (needs a process key)')
    .option('--dry-run', 'show what a start would do, and start nothing')
    .addHelpText(
      'after',
      '\nWith a process key (BATUTA_PROCESS_KEY, or batuta keys create --save) and a credential it is a start over the public API,\n' +
        'which is repeated safely; else a manual run of the account that is logged in.',
    );
  addAction<StartCommandOptions>(start, terminal, startProcess);
}

async function startProcess(context: Context, [given = '']: string[], options: StartCommandOptions): Promise<void> {
  const { output, terminal } = context;
  const seconds = options.within === undefined ? undefined : parseWholeNumber('--within', options.within);
  const matrix = await readValues(options, terminal);
  const processID = context.hasSession ? await processIDOf(context.console, given) : given;
  const { environment } = options;
  const environmentID =
    environment !== undefined && context.hasSession ? await environmentIDOf(context.console, environment) : environment;
  const body = {
    ...(Object.keys(matrix).length > 0 && { matrix }),
    ...(environmentID !== undefined && { environmentID }),
  };
  const processKey = context.settings.processKey(processID);
  if (!context.hasSession && context.hasCredential && processKey === undefined)
    throw new CommandFailure('usage', 'Without a login a start needs a process key.', 'BATUTA_PROCESS_KEY');
  if (options.dryRun) return dryRun(context, processID, processKey, body);

  const overGateway = processKey !== undefined && context.hasCredential;
  const started = await (overGateway
    ? context.gateway
        .process(processID, processKey)
        .start(body, { idempotencyKey: options.idempotencyKey, signal: terminal.signal })
    : manualRun(context, processID, body, options));
  const { instanceID, replayed, mismatch } = started;
  if (replayed && options.idempotencyKey !== undefined) output.note(REPLAY_NOTE);
  if (mismatch) output.note(MISMATCH_NOTE);
  const watched = options.wait || options.follow;
  if (!watched) return output.show(started, `${instanceID} ${started.status}`);
  output.note(`${instanceID} ${started.status}`);
  // Reads the run over the API that started it: the account of the session may differ from that of the credential, and
  // then does not see the run.
  const runs = overGateway ? new GatewayRuns(context) : new ConsoleRuns(context);
  const onInterruption = () => reportThatRunContinues(context, instanceID);
  terminal.signal.addEventListener('abort', onInterruption, { once: true });
  if (!options.follow) return awaitRun(context, runs, instanceID, seconds ?? DEFAULT_WAIT_SECONDS);
  await showRunEvents(context, runs, instanceID, seconds);
}

/** A program that reads JSON gets the id of the run as well: nothing else has told it. */
function reportThatRunContinues({ output }: Context, instanceID: string): void {
  const message = `The run continues: batuta runs show ${instanceID}`;
  if (output.json)
    output.error({ code: 'INTERRUPTED', message, exitCode: EXIT_CODES.interrupted, instanceID }, message);
  else output.note(message);
}

type StartBody = Parameters<ReturnType<Batuta['process']>['start']>[0];

async function manualRun(
  context: Context,
  pid: string,
  body: StartBody,
  { idempotencyKey }: StartCommandOptions,
): Promise<StartedRun> {
  if (idempotencyKey !== undefined)
    throw usageError('--idempotency-key: needs a process key and a credential (batuta start --help)');
  try {
    return await answerTo(
      context.console.POST('/manage/v1/processes/{pid}/run', { params: { path: { pid } }, body: body ?? {} }),
    );
  } catch (error) {
    if (!(error instanceof BatutaUnreachable)) throw error;
    const hint = `look before you repeat it: batuta runs list ${pid}`;
    throw new CommandFailure('unreachable', 'No answer arrived, so the run may have started.', hint);
  }
}

/**
 * Makes the dry run over the public API if there is a process key, which also checks key, credential and plan;
 * otherwise over the console.
 */
async function dryRun(context: Context, pid: string, processKey: string | undefined, body: StartBody): Promise<void> {
  const found =
    processKey !== undefined && context.hasCredential
      ? await context.gateway.process(pid, processKey).dryRun(body)
      : await answerTo(
          context.console.POST('/manage/v1/processes/{pid}/dry-run', { params: { path: { pid } }, body: body ?? {} }),
        );
  context.output.show(found, safeJson(found, 2));
  const [refused] = found.refusals;
  if (refused) throw new CommandFailure('refused', `The start would be refused: ${refused.code}: ${refused.message}`);
}
