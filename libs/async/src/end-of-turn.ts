import type { Writable } from 'node:stream';

let tasks: (() => void)[] = [];
const corkedStreams = new WeakSet<Writable>();

/**
 * Calls the task at the end of this turn of the event loop; tasks run in the order in which they were added. A task must not throw. Tasks
 * that write to the same connection thus do so in one system call, which wakes the receiver once.
 */
export function atEndOfTurn(task: () => void): void {
  if (tasks.length === 0) setImmediate(runTasks);
  tasks.push(task);
}

/** Buffers writes to the stream until the end of this turn of the event loop, and then sends them in one system call. */
export function corkUntilEndOfTurn(stream: Writable): void {
  if (corkedStreams.has(stream)) return;
  corkedStreams.add(stream);
  stream.cork();
  atEndOfTurn(() => {
    corkedStreams.delete(stream);
    stream.uncork();
  });
}

function runTasks(): void {
  const due = tasks;
  tasks = [];
  for (const task of due) task();
}
