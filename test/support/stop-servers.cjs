'use strict';

module.exports = async function stopServers() {
  await globalThis.batutaTestMariadb?.stop();
};
