// For tests: stands in for the program of a process for one execution, and does what no flow can do. The name of the process in
// the offer says what. Plain JavaScript: a process runs this file without a transform.
'use strict';
const { spawn } = require('node:child_process');
const { openSync, writeFileSync } = require('node:fs');

const { folder } = JSON.parse(process.argv[2]);
const kept = [];
const line = (message) =>
  process.send({
    kind: 'line',
    line: { timestamp: new Date().toISOString(), severity: 'INFO', message, stepID: 'odd step' },
  });

const MISBEHAVIORS = {
  exit: () => process.exit(3),
  abort: () => process.abort(),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  spin: () => {
    for (;;);
  },
  buffers: () => setInterval(() => kept.push(Buffer.alloc(16 * 1024 * 1024, 1)), 5),
  objects: () => {
    for (;;) kept.push({ text: String(kept.length), list: [kept.length] });
  },
  files: () => {
    let errorMessage = null;
    try {
      for (let opened = 0; opened < 64; opened += 1) openSync(process.argv[1], 'r');
    } catch ({ code }) {
      errorMessage = code;
    }
    process.send({ kind: 'end', end: { outcome: 'ERROR', errorStep: 'odd step', errorMessage } });
  },
  picture: () =>
    process.send({ kind: 'picture', id: 7, picture: { bytes: Buffer.from('picture'), mediaType: 'image/png' } }),
  pictureAndEnd: () => {
    MISBEHAVIORS.picture();
    process.send({ kind: 'end', end: { outcome: 'FINALIZED', errorStep: null, errorMessage: null } });
  },
  values: (offer) => line(JSON.stringify(offer.vault)),
  environment: () => line(JSON.stringify(process.env)),
  // Starts two programs, one of them in its own process group as a browser is. The second is not reported to the agent.
  programs: () => {
    const program = spawn('sleep', ['3600'], { detached: true, stdio: 'ignore' });
    const other = spawn('sleep', ['3600'], { stdio: 'ignore' });
    writeFileSync(`${folder}/left`, 'x');
    process.send({ kind: 'program', pid: program.pid, runs: true });
    line(JSON.stringify({ pids: [process.pid, program.pid, other.pid], folder }));
  },
  // Ignores a stop.
  deaf: () => line('waits'),
};

process.on('message', (message) => {
  if (message.kind === 'picture') line(`picture ${message.id}: ${message.link}`);
  if (message.kind !== 'run') return;
  line('began');
  MISBEHAVIORS[message.offer.processName](message.offer);
});
process.send({ kind: 'ready' });
