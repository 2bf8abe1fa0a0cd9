'use strict';
const { ensureBrowser, findHeadlessShell } = require('./browser.cjs');
const { startChild } = require('./child.cjs');
const { ensureServers } = require('./install-servers.cjs');
const { startMariadb } = require('./mariadb.cjs');
const { startNats } = require('./nats.cjs');
const { startPostgres } = require('./postgres.cjs');
const { freePort } = require('./ports.cjs');

module.exports = {
  ensureBrowser,
  ensureServers,
  findHeadlessShell,
  freePort,
  startChild,
  startMariadb,
  startNats,
  startPostgres,
};
