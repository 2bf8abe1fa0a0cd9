import { createLogger } from '@batuta/logging';
import { createAgent } from './app';
import type { AgentConfig } from './config';
import { openLogFile } from './log-file';
import { trustAuthorities } from './network/trusted-authorities';
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

const chosen = command();
if (chosen === undefined) process.exitCode = 2;
else if (chosen.kind === 'help') process.stdout.write(chosen.text);
else if (chosen.kind === 'version') process.stdout.write(`${AGENT_VERSION}\n`);
else {
  run(chosen.config).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
}
