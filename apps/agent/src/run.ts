import { runChild } from './execution-process/child/child-program';

// The agent starts this program for each execution (execution-process/execution-process.ts).
runChild(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
