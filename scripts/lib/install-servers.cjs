'use strict';
const { findServers } = require('./find-servers.cjs');

async function ensureServers() {
  return findServers();
}
module.exports = { ensureServers };
