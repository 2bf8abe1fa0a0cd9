import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// The settings of MariaDB and of its proxies that an operator copies.

const ROOT = join(__dirname, '..', '..', '..');

/** The text of a file, by its path from the root of the project. */
export function readShipped(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The options of a MariaDB configuration file, by name; options without a value are left out. */
export function optionsOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^([a-z-]+) = (.+)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/**
 * The statement by which a proxy checks a server: the second packet that it sends, after its login. Throws when the length in the packet's
 * header is wrong. `proxyFile` is the text of the proxy's settings.
 */
export function healthCheckStatementOf(proxyFile: string): string {
  const [, sent = ''] = [...proxyFile.matchAll(/send-binary ([0-9a-f]+)/g)].map(([, hex = '']) => hex);
  const packet = Buffer.from(sent, 'hex');
  if (packet.readUIntLE(0, 3) !== packet.length - 4) throw new Error(`The packet has ${packet.length} bytes`);
  return packet.subarray(5).toString();
}

/** The servers of a proxy: name, host, and ` backup` for servers that are not the first choice. */
export function serversOf(proxy: string): (string | undefined)[][] {
  const servers = [...proxy.matchAll(/^ {2}server (\S+) (\S+):3306 check( backup)?$/gm)];
  return servers.map(([, name, host, backup]) => [name, host, backup]);
}
