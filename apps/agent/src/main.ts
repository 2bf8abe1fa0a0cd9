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
  let leaving = false;
  const leave = (signal: string) => {
    if (leaving) process.exit(1);
    leaving = true;
    logger.info({ signal, drainSeconds: config.drainSeconds }, 'finishing what is held, taking no more work');
    agent.close({ drainSeconds: config.drainSeconds }).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'could not leave cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', leave);
  process.on('SIGINT', leave);
  try {
    await agent.ready;
  } catch (error) {
    logger.fatal(error instanceof Error ? error.message : String(error));
    await agent.close();
    process.exitCode = 1;
  }
}

const wanted = command();
if (wanted === undefined) process.exitCode = 2;
else if (wanted.kind === 'help') process.stdout.write(USAGE);
else if (wanted.kind === 'version') process.stdout.write(`${AGENT_VERSION}\n`);
else void run(wanted.config);
