import { answerTo } from '@batuta/client';
import type { AgentAnswer, EnvironmentAnswer } from '@batuta/client/console-types';
import { listEnvironments, type ConsoleClient } from '@batuta/process-files';
import { environmentIDOf } from '../connections/named-resources';
import { addAction } from './action';
import type { Registration } from './registration';
import { parseWholeNumber } from './whole-number';

interface EnvironmentOptions {
  description?: string;
  os?: string;
  capacity?: string;
  offlineFlow?: boolean;
}

type AgentOfEnvironment = AgentAnswer & { environment: string };

export function registerEnvironments({ addNoun, program, terminal }: Registration): void {
  addNoun('environments', 'where agents run; <environment> is an id or the exact name')
    .addVerb('list', 'show the own environments and those that the company shares', async ({ console, output }) => {
      const environments = await listEnvironments(console);
      output.table({ environments }, environments, [
        { title: 'ENVIRONMENT', of: ({ environmentID }) => environmentID },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'ONLINE', of: ({ online }) => online },
        { title: 'CAPACITY', of: ({ capacity }) => capacity },
        { title: 'QUEUE WHILE OFFLINE', of: ({ offlineFlow }) => offlineFlow },
        { title: 'SHARED', of: ({ shared }) => shared },
      ]);
    })
    .addVerb<EnvironmentOptions>(
      'create <name>',
      'create an environment; the activation key of its agents is shown once',
      async ({ console, output }, [name = ''], { description, os, capacity, offlineFlow }) => {
        const body = {
          name,
          ...(description !== undefined && { description }),
          ...(os !== undefined && { os }),
          ...(capacity !== undefined && { capacity: parseWholeNumber('--capacity', capacity) }),
          ...(offlineFlow === true && { offlineFlow }),
        };
        const created = await answerTo(console.POST('/manage/v1/environments', { body }));
        output.show(created, `environment     ${created.environmentID}\nactivation key  ${created.activationKey}`);
      },
      (command) =>
        command
          .option('--description <text>', 'what it is for')
          .option('--os <system>', 'the system of its machines')
          .option('--capacity <number>', 'how many instances run at once')
          .option('--offline-flow', 'keep a queue while no agent is connected'),
    )
    .addVerb(
      'rotate-key <environment>',
      'replace the activation key; agents with the old one are refused',
      async ({ console, output }, [given = '']) => {
        const id = await environmentIDOf(console, given);
        const init = { params: { path: { id } } };
        const { activationKey } = await answerTo(console.POST('/manage/v1/environments/{id}/rotate-key', init));
        output.show({ environmentID: id, activationKey }, activationKey);
      },
    )
    .addVerb(
      'delete <environment>',
      'delete an environment without queued or running instances',
      async ({ console, output }, [given = '']) => {
        const id = await environmentIDOf(console, given);
        await answerTo(console.DELETE('/manage/v1/environments/{id}', { params: { path: { id } } }));
        output.show({ environmentID: id, deleted: true }, `Deleted ${id}.`);
      },
    );
  const agents = program
    .command('agents [environment]')
    .description('show the connected agents of one environment, or of all of them');
  addAction(agents, terminal, async ({ console, output }, [given]) => {
    const all = await listEnvironments(console);
    const chosen = given === undefined ? undefined : await environmentIDOf(console, given);
    const environments = all.filter(({ environmentID }) => chosen === undefined || environmentID === chosen);
    const found = (await Promise.all(environments.map((one) => agentsOf(console, one)))).flat();
    output.table({ agents: found }, found, [
      { title: 'AGENT', of: ({ name }) => name },
      { title: 'ENVIRONMENT', of: ({ environment }) => environment },
      { title: 'VERSION', of: ({ runtimeVersion }) => runtimeVersion },
      { title: 'CAPACITY', of: ({ capacity }) => capacity },
      { title: 'CONNECTED', of: ({ connectedAt }) => connectedAt },
      { title: 'ABILITIES', of: ({ abilities }) => abilities.join(' ') },
    ]);
  });
}

async function agentsOf(
  console: ConsoleClient,
  { environmentID: id, name }: EnvironmentAnswer,
): Promise<AgentOfEnvironment[]> {
  const init = { params: { path: { id } } };
  const { agents } = await answerTo(console.GET('/manage/v1/environments/{id}/agents', init));
  return agents.map((agent) => ({ ...agent, environment: name }));
}
