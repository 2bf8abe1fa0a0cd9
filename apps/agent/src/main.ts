import { realpathSync } from 'node:fs';
import { createLogger } from '@batuta/logging';
import { createAgent } from './app';
import type { AgentConfig } from './config';
import { diagnose, diagnosisText } from './doctor/doctor';
import { openLogFile } from './log-file';
import { trustAuthorities } from './network/trusted-authorities';
import { installService, uninstallService } from './service/install';
import { planText, servicePlan } from './service/service-plan';
import { readCommand, type Command } from './settings/command-line';
import { AGENT_VERSION } from './version';

function command(): Command | undefined {
  try {
    return readCommand(process.argv.slice(2), process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nTry --help.\n`);
    return undefined;
  }
}

async function run(config: AgentConfig): Promise<void> {
  const logger = createLogger('agent', config.logLevel, config.logFile && (await openLogFile(config.logFile)));
  if (config.caFile !== undefined) trustAuthorities(config.caFile);
  const agent = await createAgent(config, { logger });
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal, drainSeconds: config.drainSeconds }, 'the agent drains and takes no more offers');
    agent.close({ drainSeconds: config.drainSeconds }).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    await agent.ready;
  } catch (error) {
    logger.fatal(error instanceof Error ? error.message : String(error));
    await agent.close();
    process.exitCode = 1;
  }
}

async function examine({ settings, json }: Extract<Command, { kind: 'doctor' }>): Promise<void> {
  if ('config' in settings && settings.config.caFile !== undefined) trustAuthorities(settings.config.caFile);
  const diagnosis = await diagnose(settings);
  process.stdout.write(diagnosisText(diagnosis, json));
  process.exitCode = diagnosis.ok ? 0 : 1;
}

function install({ platform, settings, print }: Extract<Command, { kind: 'install-service' }>): void {
  const service = { ...settings, node: process.execPath, program: realpathSync(process.argv[1] ?? '') };
  if (print) process.stdout.write(planText(platform, service));
  else installService(servicePlan(platform, service));
}

function uninstall({ platform, print }: Extract<Command, { kind: 'uninstall-service' }>): void {
  const plan = servicePlan(platform, { node: '', program: '', environment: {}, user: undefined, stopSeconds: 0 });
  if (!print) return uninstallService(plan);
  const commands = plan.stop.map((words) => words.join(' '));
  const removed = plan.files.map(({ path }) => `# removes ${path}`);
  process.stdout.write(`${[...commands, ...removed].join('\n')}\n`);
}

async function execute(chosen: Command): Promise<void> {
  switch (chosen.kind) {
    case 'help':
      process.stdout.write(chosen.text);
      break;
    case 'version':
      process.stdout.write(`${AGENT_VERSION}\n`);
      break;
    case 'run':
      await run(chosen.config);
      break;
    case 'doctor':
      await examine(chosen);
      break;
    case 'install-service':
      install(chosen);
      break;
    case 'uninstall-service':
      uninstall(chosen);
      break;
  }
}

const chosen = command();
if (chosen === undefined) process.exitCode = 2;
else {
  execute(chosen).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
}
