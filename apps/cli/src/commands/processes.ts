import { answerTo } from '@batuta/client';
import { listProcesses } from '@batuta/process-files';
import type { Command } from 'commander';
import { usageError } from '../exit-codes';
import { environmentIDOf, processIDOf } from '../connections/named-resources';
import type { Registration } from './registration';

interface ProcessOptions {
  name?: string;
  description?: string;
  environment?: string;
  humanTime?: string;
  operatorCost?: string;
}

interface ChangeOptions extends ProcessOptions {
  api?: 'LIBERADO' | 'BLOQUEADO';
  active?: string;
  paused?: string;
}

export function registerProcesses({ addNoun }: Registration): void {
  addNoun('processes', 'what third parties start; <process> is an id or the exact name')
    .addVerb('list', 'show the own processes and the shared ones', async ({ console, output }) => {
      const processes = await listProcesses(console);
      output.table({ processes }, processes, [
        { title: 'PROCESS', of: ({ processID }) => processID },
        { title: 'NAME', of: ({ processName }) => processName },
        { title: 'VERSION', of: ({ currentVersion }) => currentVersion },
        { title: 'ACTIVE', of: ({ active }) => active },
        { title: 'PAUSED', of: ({ paused }) => paused },
        { title: 'OWNER', of: ({ owned, ownerName }) => (owned ? 'you' : ownerName) },
      ]);
    })
    .addVerb('show <process>', 'show a process with its variables', async ({ console, output }, [given = '']) => {
      const pid = await processIDOf(console, given);
      output.fields(await answerTo(console.GET('/manage/v1/processes/{pid}', { params: { path: { pid } } })));
    })
    .addVerb<ProcessOptions>(
      'create <name>',
      'create a process without a flow; batuta import creates one from files',
      async ({ console, output }, [processName = ''], options) => {
        const body = { processName, ...(await fieldsOf(console, options)) };
        const created = await answerTo(console.POST('/manage/v1/processes', { body }));
        output.show(created, created.processID);
      },
      withProcessOptions,
    )
    .addVerb<ChangeOptions>(
      'change <process>',
      'change a process at once, also for the next starts',
      async ({ console, output }, [given = ''], options) => {
        const pid = await processIDOf(console, given);
        const { name, api, active, paused } = options;
        const body = {
          ...(await fieldsOf(console, options)),
          ...(name !== undefined && { processName: name }),
          ...(api !== undefined && { apiPermission: api }),
          ...(active !== undefined && { active: active === 'yes' }),
          ...(paused !== undefined && { paused: paused === 'yes' }),
        };
        output.fields(await answerTo(console.PATCH('/manage/v1/processes/{pid}', { params: { path: { pid } }, body })));
      },
      (command) =>
        withProcessOptions(command)
          .option('--name <text>', 'another name')
          .addOption(
            command
              .createOption('--api <permission>', 'whether the public API may start it')
              .choices(['LIBERADO', 'BLOQUEADO']),
          )
          .addOption(command.createOption('--active <yes|no>', 'whether it may be started').choices(['yes', 'no']))
          .addOption(
            command
              .createOption('--paused <yes|no>', 'while it is paused its schedules do not fire')
              .choices(['yes', 'no']),
          ),
    )
    .addVerb(
      'delete <process>',
      'delete a process that has no queued or running instances',
      async ({ console, output }, [given = '']) => {
        const pid = await processIDOf(console, given);
        await answerTo(console.DELETE('/manage/v1/processes/{pid}', { params: { path: { pid } } }));
        output.show({ processID: pid, deleted: true }, `Deleted ${pid}.`);
      },
    )
    .addVerb('versions <process>', 'show the published versions', async ({ console, output }, [given = '']) => {
      const pid = await processIDOf(console, given);
      const { versions } = await answerTo(
        console.GET('/manage/v1/processes/{pid}/versions', { params: { path: { pid } } }),
      );
      output.table({ versions }, versions, [
        { title: 'VERSION', of: ({ version }) => version },
        { title: 'PUBLISHED', of: ({ publishedAt }) => publishedAt },
        { title: 'BY', of: ({ publishedBy }) => publishedBy },
      ]);
    });
}

function withProcessOptions(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for')
    .option('--environment <environment>', 'where it runs: an id or the exact name')
    .option('--human-time <hh:mm:ss>', 'time that a person needs for one execution')
    .option('--operator-cost <amount>', 'money per hour of that person');
}

/** Throws CommandFailure unless the text has 1 to 12 digits, maybe with decimals; `Number` would read an empty text as 0. */
function parseAmount(option: string, text: string): number {
  if (!/^\d{1,12}(\.\d+)?$/.test(text)) throw usageError(`${option}: must be a number such as 42.50`);
  return Number(text);
}

type Console = Parameters<typeof listProcesses>[0];

async function fieldsOf(console: Console, { description, environment, humanTime, operatorCost }: ProcessOptions) {
  return {
    ...(description !== undefined && { description }),
    ...(environment !== undefined && { environmentID: await environmentIDOf(console, environment) }),
    ...(humanTime !== undefined && { avgHumanTime: humanTime }),
    ...(operatorCost !== undefined && { avgOperatorCost: parseAmount('--operator-cost', operatorCost) }),
  };
}
