'use strict';
const { startMariadb } = require('../../scripts/lib/servers.cjs');

/** Starts one private MariaDB for the whole run; each test file creates its own databases in it. */
module.exports = async function startServers() {
  const mariadb = await startMariadb();
  globalThis.batutaTestMariadb = mariadb;
  const { host, port, user, password } = mariadb;
  process.env.BATUTA_TEST_MARIADB = JSON.stringify({ host, port, user, password });
};
