import { createLogger } from '@batuta/logging';
import { createAgent } from './app';
import { readCommand, USAGE, type AgentConfig, type Command } from './config';
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
  const logger = createLogger('agent', config.logLevel);
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
else if (chosen.kind === 'help') process.stdout.write(USAGE);
else if (chosen.kind === 'version') process.stdout.write(`${AGENT_VERSION}\n`);
else void run(chosen.config);
