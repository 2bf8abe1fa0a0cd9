import { startTestMariadb, type TestServer } from '../../../test/support/servers';
import { openStore, Store } from '.';

// A server may be set so that texts and commits mean something else than the services expect.

const STORE_KINDS: [string, { pipelined?: boolean }][] = [
  ['plain', {}],
  ['pipelined', { pipelined: true }],
];

let server: TestServer;
const openedStores: Store[] = [];
beforeAll(async () => {
  server = await startTestMariadb();
  const root = await open();
  await root.write('CREATE TABLE note (id int NOT NULL PRIMARY KEY, text varchar(100) NOT NULL) ENGINE=InnoDB');
  await root.write("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES,EMPTY_STRING_IS_NULL', GLOBAL autocommit = 0");
});
afterEach(() => Promise.all(openedStores.splice(0).map((store) => store.close())));
afterAll(() => server?.stop());

async function open(options: { pipelined?: boolean } = {}): Promise<Store> {
  const store = await openStore({ url: server.url, pool: 1, ...options });
  openedStores.push(store);
  return store;
}

test.each(STORE_KINDS)(
  'the texts of a %s Store stay texts where the server reads a backslash as a character',
  async (_, options) => {
    const store = await open(options);
    const texts = ["', 1); DROP TABLE note; -- ", String.raw`it\'s "both"`, ''];
    const stored = await store.transaction(async (tx) => {
      for (const [id, text] of texts.entries()) await tx.write('INSERT INTO note (id, text) VALUES (?, ?)', [id, text]);
      return tx.rows('SELECT text FROM note ORDER BY id');
    });
    expect(stored).toEqual(texts.map((text) => ({ text })));
    await store.write('DELETE FROM note');
  },
);

test.each(STORE_KINDS)(
  'a write of a %s Store outside of a transaction is committed where the server commits nothing by itself',
  async (_, options) => {
    const [writer, reader] = [await open(options), await open()];
    await writer.write('INSERT INTO note (id, text) VALUES (?, ?)', [1, 'stored']);
    expect(await reader.rows('SELECT text FROM note')).toEqual([{ text: 'stored' }]);
    await writer.write('DELETE FROM note');
  },
);
