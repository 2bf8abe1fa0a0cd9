'use strict';
const { randomInt } = require('node:crypto');
const { createServer } = require('node:net');

// Below the range of ports for outgoing connections: a client that retries a closed port of that range can connect to itself
// and occupy the port of the server that is about to restart.
const LOWEST_PORT = 15_000;
const HIGHEST_PORT = 30_000;
const MAX_TRIES = 50;
const reservedPorts = new Set();

/**
 * Returns `wished` if it is free on the loopback, else another free port. On Linux freePort gives the port to no other process while this process
 * runs, even while its server is down. A program that does not use freePort may still take it, so callers retry.
 */
async function freePort(wished) {
  // The port is reserved before the check, because the check listens on it for a moment: that must not be a port that another process has just chosen.
  if (wished && (await reserve(wished)) && (await isFree(wished))) return wished;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (!reservedPorts.has(port) && (await reserve(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no free port found between ${LOWEST_PORT} and ${HIGHEST_PORT}`);
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Reserves the port by an abstract socket name, which the system frees with this process. Only Linux has them. */
function reserve(port) {
  if (reservedPorts.has(port) || process.platform !== 'linux') return true;
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(false));
    server.listen({ path: `\0batuta-port-${port}` }, () => {
      server.unref();
      reservedPorts.add(port);
      resolve(true);
    });
  });
}

module.exports = { freePort };
