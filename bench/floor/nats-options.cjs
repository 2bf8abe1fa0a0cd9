'use strict';

/** `nats://user:password@host:port` as options of the client. */
function natsOptions(url, name) {
  const { host, username, password } = new URL(url);
  return { servers: host, name, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

module.exports = { natsOptions };
