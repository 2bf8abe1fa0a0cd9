'use strict';
const { ensureBuilt } = require('../../../scripts/lib/build.cjs');
const startServers = require('../../support/start-servers.cjs');

/** The programs that e2e tests start as processes come from dist. */
module.exports = async function prepare() {
  await ensureBuilt();
  await startServers();
};
