'use strict';
// Runs in its own process and outlives the process that started it: when the channel to that process closes, by exit, crash or
// kill -9, it ends the remaining children and removes their throw-away folders.
const { rmSync } = require('node:fs');
const { endProcess } = require('./process-identity.cjs');

const watchedChildren = new Map();

process.on('message', ({ watch, forget }) => {
  if (watch) watchedChildren.set(watch.pid, watch);
  if (forget) watchedChildren.delete(forget.pid);
});

process.on('disconnect', () => {
  void Promise.all([...watchedChildren.values()].map(endChild)).then(() => process.exit(0));
});

async function endChild({ pid, identity, graceMs, removeIfOrphaned }) {
  await endProcess(pid, identity, graceMs);
  for (const folder of removeIfOrphaned) rmSync(folder, { recursive: true, force: true });
}
