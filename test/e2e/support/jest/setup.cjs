'use strict';
const { ensureBuilt } = require('../../../../scripts/lib/build.cjs');
const startServers = require('../../../support/start-servers.cjs');

/** Builds dist, from which the tests start programs, unless it is up to date, and starts the shared servers. */
module.exports = async function prepare() {
  await ensureBuilt();
  await startServers();
};
