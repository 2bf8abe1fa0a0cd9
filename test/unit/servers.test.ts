import { createConnection } from 'mysql2/promise';
import { createTestDatabase, startTestNats } from '../support/servers';

describe('the servers of the tests', () => {
  it('makes databases that know nothing of each other', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const connection = await createConnection(one.url);
    await connection.query('CREATE TABLE only_here (id INT)');
    await connection.end();

    const other = await createConnection(two.url);
    const [tables] = await other.query('SHOW TABLES');
    await other.end();
    expect(tables).toEqual([]);
    await Promise.all([one.drop(), two.drop()]);
  });

  it('starts NATS servers side by side, each on a port and with a password of its own', async () => {
    const [one, two] = await Promise.all([startTestNats(), startTestNats()]);
    expect(one.port).not.toBe(two.port);
    expect(one.url).not.toBe(two.url);
    await Promise.all([one.stop(), two.stop()]);
  });
});
