import { realpathSync } from 'node:fs';
import { readSettings, TracingSettings } from '@batuta/config';
import { createLogger, type Logger } from '@batuta/logging';
import { startTracing } from '@batuta/tracing';
import { createAgent } from './app';
import type { AgentConfig } from './config';
import { diagnose, diagnosisText } from './doctor/doctor';
import { requireNode } from './doctor/machine-checks';
import { openLogFiles } from './log-file';
import { trustAuthoritiesIn } from './network/trusted-authorities';
import { installService, uninstallService } from './service/install';
import { installText, servicePlan } from './service/service-platform';
import { readCommand, type Command } from './settings/command-line';
import { AGENT_VERSION } from './version';

function commandOfArguments(): Command | undefined {
  try {
    return readCommand(process.argv.slice(2), process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nTry --help.\n`);
    return undefined;
  }
}

async function runAgent(config: AgentConfig): Promise<void> {
  requireNode(process.versions.node);
  const logger = createLogger('agent', config.logLevel, config.logFile && (await openLogFiles(config.logFile)));
  if (config.caFile !== undefined) trustAuthoritiesIn(config.caFile);
  const stopTracing = traceIfSet(logger);
  const agent = await createAgent(config, { logger });
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal, drainSeconds: config.drainSeconds }, 'the agent drains and takes no more offers');
    const close = async () => {
      await agent.close({ drainSeconds: config.drainSeconds });
      await stopTracing();
    };
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the agent did not stop cleanly');
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

/**
 * Starts tracing according to the standard variables of OpenTelemetry. An agent that cannot trace still runs its
 * instances.
 */
function traceIfSet(logger: Logger): () => Promise<void> {
  try {
    return startTracing('agent', readSettings(TracingSettings, process.env), logger);
  } catch (error) {
    logger.warn({ err: error }, 'tracing did not start, so nothing is traced');
    return async () => {};
  }
}

async function runDoctor({ settings, json }: Extract<Command, { kind: 'doctor' }>): Promise<void> {
  if ('config' in settings && settings.config.caFile !== undefined) trustAuthoritiesIn(settings.config.caFile);
  const diagnosis = await diagnose(settings);
  process.stdout.write(diagnosisText(diagnosis, json));
  process.exitCode = diagnosis.ok ? 0 : 1;
}

function runInstall({ platform, service: name, settings, print }: Extract<Command, { kind: 'install-service' }>): void {
  const service = { ...settings, service: name, node: process.execPath, program: realpathSync(process.argv[1] ?? '') };
  if (print) process.stdout.write(installText(platform, service));
  else installService(servicePlan(platform, service));
}

function runUninstall({ platform, service, print }: Extract<Command, { kind: 'uninstall-service' }>): void {
  const plan = servicePlan(platform, {
    service,
    node: '',
    program: '',
    environment: {},
    user: undefined,
    stopSeconds: 0,
  });
  if (!print) return uninstallService(plan);
  const commands = plan.stopCommands.map((words) => words.join(' '));
  const removed = plan.files.map(({ path }) => `# removes ${path}`);
  process.stdout.write(`${[...commands, ...removed].join('\n')}\n`);
}

async function executeCommand(chosen: Command): Promise<void> {
  switch (chosen.kind) {
    case 'help':
      process.stdout.write(chosen.text);
      break;
    case 'version':
      process.stdout.write(`${AGENT_VERSION}\n`);
      break;
    case 'run':
      await runAgent(chosen.config);
      break;
    case 'doctor':
      await runDoctor(chosen);
      break;
    case 'install-service':
      runInstall(chosen);
      break;
    case 'uninstall-service':
      runUninstall(chosen);
      break;
  }
}

const chosen = commandOfArguments();
if (chosen === undefined) process.exitCode = 2;
else {
  executeCommand(chosen).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
}
