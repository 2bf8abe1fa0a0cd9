'use strict';
const { ensureBuilt } = require('../../scripts/lib/build.cjs');
const startServers = require('../servers-setup.cjs');

/** The programs that e2e tests start as processes come from dist. */
module.exports = async function prepare() {
  await ensureBuilt();
  await startServers();
};
