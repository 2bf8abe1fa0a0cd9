'use strict';
const { randomInt } = require('node:crypto');
const { createServer } = require('node:net');

// Below the range from which systems number outgoing connections: a client that keeps trying a closed port of that
// range can end up connected to itself and hold the port that its server wants back.
const LOWEST = 15_000;
const HIGHEST = 30_000;
const TRIES = 50;
const ours = new Set();

/**
 * The preferred port if it is free on the loopback interface, else any free one. This function gives it to no other process while
 * this one lives, even while its server is down. Another program may still take it: be ready to retry.
 */
async function freePort(wished) {
  if (wished && (await isFree(wished)) && (await reserve(wished))) return wished;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!ours.has(port) && (await isFree(port)) && (await reserve(port))) return port;
  }
  throw new Error(`no free port found between ${LOWEST} and ${HIGHEST}`);
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Holds an abstract socket name for the port, which ends with this process even when it is killed. Linux only. */
function reserve(port) {
  if (ours.has(port) || process.platform !== 'linux') return true;
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(false));
    server.listen({ path: `\0batuta-port-${port}` }, () => {
      server.unref();
      ours.add(port);
      resolve(true);
    });
  });
}

module.exports = { freePort };
