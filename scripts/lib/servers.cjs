'use strict';
const { startChild } = require('./child.cjs');
const { ensureServers } = require('./install-servers.cjs');
const { startMariadb } = require('./mariadb.cjs');
const { startNats } = require('./nats.cjs');

module.exports = { ensureServers, startChild, startMariadb, startNats };
