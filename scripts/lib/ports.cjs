'use strict';
const { createServer } = require('node:net');

/** The wished port if it is free on the loopback, else any free one. Someone may still take it first: be ready to retry. */
async function freePort(wished = 0) {
  try {
    return await bindOnce(wished);
  } catch (error) {
    if (wished === 0) throw error;
    return bindOnce(0);
  }
}

function bindOnce(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port: bound } = server.address();
      server.close(() => resolve(bound));
    });
  });
}

module.exports = { freePort };
