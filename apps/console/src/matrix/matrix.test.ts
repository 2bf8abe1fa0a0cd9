import { UNKNOWN_ID, addProcess } from '../../test/processes';
import { createWorld, listOf, requireText, type ConsoleCaller, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const readMatrix = async (caller: ConsoleCaller, pid: string) =>
  listOf(await caller.must('GET', `/processes/${pid}/matrix`), 'matrix');

test('a replacement of a Matrix keeps, renames, adds, removes and reorders variables', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana, {
    matrix: [
      { name: 'kept', type: 'Texto', default: 'k' },
      { name: 'renamed', type: 'Número', default: 1 },
      { name: 'removed', type: 'Lista' },
    ],
  });
  const [kept, renamed] = await readMatrix(ana, pid);
  const matrix = [
    { name: 'added', type: 'Objeto' },
    { ...renamed, name: 'kept' },
    { ...kept, name: 'other' },
  ];
  const replaced = await ana.must('PUT', `/processes/${pid}/matrix`, { matrix });
  expect(replaced).toEqual({
    matrix: [
      { id: expect.any(String), name: 'added', type: 'Objeto', default: null },
      { id: renamed?.id, name: 'kept', type: 'Número', default: 1 },
      { id: kept?.id, name: 'other', type: 'Texto', default: 'k' },
    ],
  });
  expect(await readMatrix(ana, pid)).toEqual(replaced.matrix);
  expect(await ana.must('PUT', `/processes/${pid}/matrix`, { matrix: [] })).toEqual({ matrix: [] });
});

test('a Matrix that was read may be sent back unchanged', async () => {
  const ana = await world.addPerson();
  const types = ['Texto', 'Número', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'];
  const pid = await addProcess(ana, { matrix: types.map((type, index) => ({ name: `v${index}`, type })) });
  const before = await readMatrix(ana, pid);
  expect(await ana.must('PUT', `/processes/${pid}/matrix`, { matrix: before })).toEqual({ matrix: before });
});

test('a replacement of a Matrix with variables of another process is refused, and the Matrix stays as it was', async () => {
  const ana = await world.addPerson();
  const [pid, other] = await Promise.all([
    addProcess(ana, { matrix: [{ name: 'a', type: 'Texto' }] }),
    addProcess(ana, { matrix: [{ name: 'b', type: 'Texto' }] }),
  ]);
  const before = await readMatrix(ana, pid);
  const [foreign] = await readMatrix(ana, other);
  for (const id of [requireText(foreign?.id), UNKNOWN_ID]) {
    const matrix = [{ id, name: 'stolen', type: 'Texto' }];
    expect(await ana.refusal('PUT', `/processes/${pid}/matrix`, { matrix })).toEqual({
      error: '400 BAD_REQUEST',
      message: 'matrix.0.id: is no variable of this process',
    });
  }
  expect([await readMatrix(ana, pid), await readMatrix(ana, other)]).toEqual([before, [foreign]]);
});

test.each<[string, unknown]>([
  ['body: must be an object', []],
  ['matrix: is required', {}],
  [
    'matrix: has more than 200 items',
    { matrix: Array.from({ length: 201 }, (_, n) => ({ name: `v${n}`, type: 'Texto' })) },
  ],
  [
    'matrix.0.type: must be one of Texto, Número, Moeda, Verdadeiro/Falso, Lista, Objeto, Secreto',
    { matrix: [{ name: 'a', type: 'texto' }] },
  ],
  ['matrix.0.name: must be a text', { matrix: [{ name: 1, type: 'Texto' }] }],
  ['matrix.0.id: is not an id', { matrix: [{ id: '1', name: 'a', type: 'Texto' }] }],
  ['matrix.0.value: is not a known field', { matrix: [{ name: 'a', type: 'Texto', value: 1 }] }],
])('a Matrix is refused with the message "%s"', async (message, body) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  expect(await ana.refusal('PUT', `/processes/${pid}/matrix`, body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test('a default of an Objeto has up to 100 levels, as a value has', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const nested: unknown = JSON.parse('['.repeat(100) + ']'.repeat(100));
  const matrix = [{ name: 'order', type: 'Objeto', default: nested }];
  await ana.must('PUT', `/processes/${pid}/matrix`, { matrix });
  expect(await ana.must('GET', `/processes/${pid}/matrix`)).toMatchObject({ matrix });
});

test.each([
  ['Texto', '1e400'],
  ['Número', '-1e400'],
  ['Lista', '[1,1e400]'],
  ['Objeto', '{"a":{"b":1e-400}}'],
  ['Objeto', '"[1e400]"'],
])('a default of %s with %s is refused, and the refusal names the variable', async (type, json) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const body = `{"matrix":[{"name":"total","type":"${type}","default":${json}}]}`;
  expect(await ana.refusal('PUT', `/processes/${pid}/matrix`, body)).toEqual({
    error: '400 INVALID_MATRIX',
    message: expect.stringMatching(/^total: .*has a number beyond the range of a double/),
  });
});

test('the type of a Matrix variable is recognized in every Unicode form', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana, { matrix: [{ name: 'n', type: 'Nu\u0301mero' }] });
  expect(await readMatrix(ana, pid)).toMatchObject([{ type: 'N\u00famero' }]);
});

const revisionOf = async (pid: string) =>
  (await world.store.row<{ n: number }>('SELECT matrix_revision AS n FROM process WHERE process_id = ?', [pid]))?.n;

test('each replacement of a Matrix gets its own revision, and a refused one gets none', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana, { matrix: [{ name: 'a', type: 'Texto' }] });
  expect(await revisionOf(pid)).toBe(0);
  const same = await readMatrix(ana, pid);
  for (const [index, matrix] of [same, [], [{ name: 'b', type: 'Lista' }]].entries()) {
    await ana.must('PUT', `/processes/${pid}/matrix`, { matrix });
    expect(await revisionOf(pid)).toBe(index + 1);
  }
  await ana.refusal('PUT', `/processes/${pid}/matrix`, { matrix: [{ name: 'n', type: 'Número', default: 'x' }] });
  await ana.must('PATCH', `/processes/${pid}`, { processName: 'Renamed' });
  expect(await revisionOf(pid)).toBe(3);
});

test('exactly one of several concurrent replacements of a Matrix remains, complete and with the latest revision', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const some = (prefix: string) => Array.from({ length: 20 }, (_, n) => ({ name: `${prefix}${n}`, type: 'Texto' }));
  const put = (matrix: unknown) => ana.must('PUT', `/processes/${pid}/matrix`, { matrix });
  await Promise.all([put(some('a')), put(some('b')), put(some('c'))]);
  const left = await readMatrix(ana, pid);
  expect(left).toHaveLength(20);
  expect(new Set(left.map(({ name }) => requireText(name).charAt(0))).size).toBe(1);
  expect(await revisionOf(pid)).toBe(3);
});

test('exactly one of several simultaneous saves of a Matrix with the same tag in If-Match is stored, and the others are 412', async () => {
  const owner = await world.addPerson();
  const pid = await addProcess(owner);
  const path = `/processes/${pid}/matrix`;
  const tag = (await owner.call('GET', path)).headers.get('etag') ?? '';
  expect(tag).toMatch(/^"[^"]+"$/);
  const put = (name: string, match: string) =>
    owner.call('PUT', path, { matrix: [{ name, type: 'Texto' }] }, { 'if-match': match });
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => put(name, tag)));
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '412', '412', '412']);
  const stored = answers.find(({ status }) => status === 200);
  const refused = answers.find(({ status }) => status === 412);
  expect(refused?.body).toMatchObject({
    error: { code: 'PRECONDITION_FAILED', message: expect.stringMatching(/^If-Match:/) },
  });
  const read = await owner.call('GET', path);
  expect([read.body, read.headers.get('etag')]).toEqual([stored?.body, stored?.headers.get('etag')]);
  expect((await put('e', stored?.headers.get('etag') ?? '')).status).toBe(200);
  await owner.must('PUT', path, { matrix: [] });
  expect((await put('f', '*')).status).toBe(200);
});
