import { NOBODY, processOf } from '../../test/processes';
import { createWorld, listOf, textOf, type Client, type World } from '../../test/world';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const read = async (caller: Client, pid: string) =>
  listOf(await caller.must('GET', `/processes/${pid}/matrix`), 'matrix');

test('a replacement keeps, renames, adds, removes and reorders variables', async () => {
  const ana = await world.person();
  const pid = await processOf(ana, {
    matrix: [
      { name: 'kept', type: 'Texto', default: 'k' },
      { name: 'renamed', type: 'Número', default: 1 },
      { name: 'removed', type: 'Lista' },
    ],
  });
  const [kept, renamed] = await read(ana, pid);
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
  expect(await read(ana, pid)).toEqual(replaced.matrix);
  expect(await ana.must('PUT', `/processes/${pid}/matrix`, { matrix: [] })).toEqual({ matrix: [] });
});

test('a Matrix that was read may be sent back unchanged', async () => {
  const ana = await world.person();
  const types = ['Texto', 'Número', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'];
  const pid = await processOf(ana, { matrix: types.map((type, index) => ({ name: `v${index}`, type })) });
  const before = await read(ana, pid);
  expect(await ana.must('PUT', `/processes/${pid}/matrix`, { matrix: before })).toEqual({ matrix: before });
});

test('variables of another process are refused, and the Matrix stays as it was', async () => {
  const ana = await world.person();
  const [pid, other] = await Promise.all([
    processOf(ana, { matrix: [{ name: 'a', type: 'Texto' }] }),
    processOf(ana, { matrix: [{ name: 'b', type: 'Texto' }] }),
  ]);
  const before = await read(ana, pid);
  const [foreign] = await read(ana, other);
  for (const id of [textOf(foreign?.id), NOBODY]) {
    const matrix = [{ id, name: 'stolen', type: 'Texto' }];
    expect(await ana.refusal('PUT', `/processes/${pid}/matrix`, { matrix })).toEqual({
      error: '400 BAD_REQUEST',
      message: 'matrix.0.id: is no variable of this process',
    });
  }
  expect([await read(ana, pid), await read(ana, other)]).toEqual([before, [foreign]]);
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
])('%s', async (message, body) => {
  const ana = await world.person();
  const pid = await processOf(ana);
  expect(await ana.refusal('PUT', `/processes/${pid}/matrix`, body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test.each([
  ['Texto', '1e400'],
  ['Número', '-1e400'],
  ['Lista', '[1,1e400]'],
  ['Objeto', '{"a":{"b":1e-400}}'],
  ['Objeto', '"[1e400]"'],
])('a default of %s with %s is refused by the name of the variable', async (type, json) => {
  const ana = await world.person();
  const pid = await processOf(ana);
  const body = `{"matrix":[{"name":"total","type":"${type}","default":${json}}]}`;
  expect(await ana.refusal('PUT', `/processes/${pid}/matrix`, body)).toEqual({
    error: '400 INVALID_MATRIX',
    message: expect.stringMatching(/^total: .*has a number beyond the range of a double/),
  });
});

test('the type is recognized in every Unicode form', async () => {
  const ana = await world.person();
  const pid = await processOf(ana, { matrix: [{ name: 'n', type: 'Nu\u0301mero' }] });
  expect(await read(ana, pid)).toMatchObject([{ type: 'N\u00famero' }]);
});

const revisionOf = async (pid: string) =>
  (await world.store.row<{ n: number }>('SELECT matrix_revision AS n FROM process WHERE process_id = ?', [pid]))?.n;

test('each replacement gets its own revision, and a refused one gets none', async () => {
  const ana = await world.person();
  const pid = await processOf(ana, { matrix: [{ name: 'a', type: 'Texto' }] });
  expect(await revisionOf(pid)).toBe(0);
  const same = await read(ana, pid);
  for (const [index, matrix] of [same, [], [{ name: 'b', type: 'Lista' }]].entries()) {
    await ana.must('PUT', `/processes/${pid}/matrix`, { matrix });
    expect(await revisionOf(pid)).toBe(index + 1);
  }
  await ana.refusal('PUT', `/processes/${pid}/matrix`, { matrix: [{ name: 'n', type: 'Número', default: 'x' }] });
  await ana.must('PATCH', `/processes/${pid}`, { processName: 'Renamed' });
  expect(await revisionOf(pid)).toBe(3);
});

test('of two concurrent replacements one remains as a whole, with the later revision', async () => {
  const ana = await world.person();
  const pid = await processOf(ana);
  const some = (prefix: string) => Array.from({ length: 20 }, (_, n) => ({ name: `${prefix}${n}`, type: 'Texto' }));
  const put = (matrix: unknown) => ana.must('PUT', `/processes/${pid}/matrix`, { matrix });
  await Promise.all([put(some('a')), put(some('b')), put(some('c'))]);
  const left = await read(ana, pid);
  expect(left).toHaveLength(20);
  expect(new Set(left.map(({ name }) => textOf(name).charAt(0))).size).toBe(1);
  expect(await revisionOf(pid)).toBe(3);
});
