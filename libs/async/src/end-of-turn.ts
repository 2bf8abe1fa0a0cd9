import type { Writable } from 'node:stream';

let tasks: (() => void)[] = [];
const heldBack = new WeakSet<Writable>();

/**
 * Calls the task at the end of this turn of the event loop, in the order of the calls. Several tasks thus write to one NATS connection in
 * one system call, which wakes the receiver once.
 */
export function atEndOfTurn(task: () => void): void {
  if (tasks.length === 0) setImmediate(runTasks);
  tasks.push(task);
}

/** Buffers writes to the stream until the end of this turn of the event loop, and then sends them in one system call. */
export function writeTogether(stream: Writable): void {
  if (heldBack.has(stream)) return;
  heldBack.add(stream);
  stream.cork();
  atEndOfTurn(() => {
    heldBack.delete(stream);
    stream.uncork();
  });
}

function runTasks(): void {
  const due = tasks;
  tasks = [];
  for (const task of due) task();
}
