import { runCommandLine } from './cli';
import { processTerminal } from './terminal/process-terminal';

async function main(): Promise<void> {
  // `process.exit()` would lose output that a pipe has not read yet.
  process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
}

void main();
