'use strict';
const { startMariadb, startNats } = require('../../scripts/lib/servers.cjs');

/** Number of separate users of NATS, each of which one test takes: more than the tests of one run of jest need. */
const NATS_USERS = 1_000;

/**
 * Starts one MariaDB and one NATS for the whole run. Each test file creates its own databases in this MariaDB and takes its own users of this
 * NATS. A MariaDB that a test starts for itself begins with a copy of the data folder of this one, which was made before this one started.
 */
module.exports = async function startServers() {
  // In a run of all tests, both the set-up of unit tests and that of e2e tests call this function.
  if (globalThis.batutaTestServers) return;
  const [mariadb, nats] = await Promise.all([
    startMariadb({ keepTemplate: true }),
    startNats({ separateUsers: NATS_USERS }),
  ]);
  globalThis.batutaTestServers = [mariadb, nats];
  const { host, port, user, password } = mariadb;
  process.env.BATUTA_TEST_MARIADB = JSON.stringify({ host, port, user, password });
  process.env.BATUTA_TEST_MARIADB_TEMPLATE = mariadb.template;
  const { dir, port: natsPort, user: natsUser, password: natsPassword } = nats;
  process.env.BATUTA_TEST_NATS = JSON.stringify({
    dir,
    host,
    port: natsPort,
    user: natsUser,
    password: natsPassword,
    users: NATS_USERS,
  });
};
