import { requirePeer, serveJson } from './http.mjs';

const { PgBoss } = requirePeer('pg-boss');
/** Number of connections to PostgreSQL, as many as each service of the product has to MariaDB. */
const DATABASE_POOL_SIZE = 10;

const boss = new PgBoss({
  connectionString: process.env.POSTGRES_URL,
  max: DATABASE_POOL_SIZE,
  supervise: false,
  schedule: false,
});
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue('accepted');

serveJson({ '/send': async (body) => ({ id: await boss.send('accepted', body) }) });
