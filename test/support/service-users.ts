import { randomBytes } from 'node:crypto';
import { createServiceUsers, type DatabaseService } from '@batuta/database';

/**
 * Creates database users of the given services as the migration does, and returns their URLs, so that a service under test has exactly the
 * rights that it has in an installation.
 */
export async function createTestUsers<Service extends DatabaseService>(
  databaseUrl: string,
  services: readonly Service[],
): Promise<Record<Service, string>> {
  // The prefix is random, because test databases share one server, and users belong to the server and not to a database.
  const prefix = `u${randomBytes(6).toString('hex')}_`;
  const password = randomBytes(12).toString('hex');
  const passwords: Partial<Record<DatabaseService, string>> = Object.fromEntries(
    services.map((service) => [service, password]),
  );
  await createServiceUsers(databaseUrl, { prefix, passwords });
  const urls = services.map((service) => {
    const url = new URL(databaseUrl);
    [url.username, url.password] = [`${prefix}${service}`, password];
    return [service, url.href];
  });
  return Object.fromEntries(urls);
}

/** Creates a database user of one service, as `createTestUsers` does, and returns its URL. */
export async function serviceUserUrl(databaseUrl: string, service: DatabaseService): Promise<string> {
  return (await createTestUsers(databaseUrl, [service]))[service];
}
