import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  differencesOf,
  fileNameOf,
  freeFileName,
  jsonFile,
  stableFlow,
  type ProcessDefinition,
} from '@batuta/process-files';
import { differenceText } from './difference-text';
import { processFolders, readProcessFolder, storedProcessID, writeProcess } from './process-folder';

const DEFINITION: ProcessDefinition = {
  settings: {
    processName: 'Orders',
    description: '',
    environment: 'Robots',
    apiPermission: 'LIBERADO',
    active: true,
    paused: false,
    avgHumanTime: '00:10:00',
    avgOperatorCost: 30,
    vaultKeys: ['ERP_TOKEN'],
  },
  matrix: [
    { name: 'total', type: 'Moeda', default: 10 },
    { name: 'token', type: 'Secreto' },
  ],
  flow: { start: 'a', steps: [] },
  origins: [{ name: 'Shop', responseMode: 'Imediata', waitSeconds: 30, enabled: true, signature: null, mapping: [] }],
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'batuta-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));

test.each([
  ['Pedidos São Paulo', 'pedidos-sao-paulo'],
  ['../../etc/passwd', 'etc-passwd'],
  ['.git', 'git'],
  ['a\\b:c*d', 'a-b-c-d'],
  ['CON', 'con-'],
  ['東京', 'unnamed'],
  ['\u0000\u001b[31m', '31m'],
  ['x'.repeat(300), 'x'.repeat(60)],
])('the folder of %j is %s', (name, file) => {
  expect(fileNameOf(name)).toBe(file);
});

test('two items with equal names have two files', () => {
  const taken = new Set<string>();
  expect(['Shop', 'shop', 'SHOP!'].map((name) => freeFileName(name, taken))).toEqual(['shop', 'shop-2', 'shop-3']);
});

test('a written process is read unchanged, and a second write changes only files whose content differs', () => {
  const stored = { folder, processID: 'p1', definition: DEFINITION };
  expect(writeProcess(stored)).toEqual(['process.json', 'matrix.json', 'flow.json', join('origins', 'shop.json')]);
  expect(readProcessFolder(folder)).toEqual(stored);
  expect(writeProcess(stored)).toEqual([]);
  const gone = { ...DEFINITION, origins: [], flow: null };
  expect(writeProcess({ ...stored, definition: gone })).toEqual(['flow.json', join('origins', 'shop.json')]);
  expect(readdirSync(join(folder, 'origins'))).toEqual([]);
  expect(processFolders(folder)).toEqual([folder]);
});

test('a process with two origins of one name is not written, because an import could not tell them apart', () => {
  const [shop] = DEFINITION.origins;
  const twice = { ...DEFINITION, origins: [shop, shop].flatMap((origin) => origin ?? []) };
  expect(() => writeProcess({ folder, processID: 'p1', definition: twice })).toThrow(
    /^origins: "Shop" is there twice$/,
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('files that an editor of Windows has saved, with a byte order mark and its line ends, are read unchanged', () => {
  const stored = { folder, processID: 'p1', definition: DEFINITION };
  for (const name of writeProcess(stored)) {
    const path = join(folder, name);
    writeFileSync(path, `\uFEFF${readFileSync(path, 'utf8').replaceAll('\n', '\r\n')}`);
  }
  expect(readProcessFolder(folder)).toEqual(stored);
  expect(storedProcessID(folder)).toBe('p1');
});

test('the name of an environment is read in the form of Unicode that the console gives it', () => {
  const settings = { ...DEFINITION.settings, environment: 'Robôs' };
  writeProcess({ folder, processID: undefined, definition: { ...DEFINITION, settings } });
  write('process.json', { ...settings, environment: settings.environment.normalize('NFD') });
  expect(readProcessFolder(folder).definition.settings).toEqual(settings);
});

test.each([
  ['in a file system that takes none', () => '/proc/batuta-export/orders'],
  ['below a file', () => join(folder, 'taken', 'orders')],
])('a folder that cannot be made %s is refused by its name', (_where, pathOf) => {
  write('taken', {});
  const target = pathOf();
  expect(() => writeProcess({ folder: target, processID: 'p1', definition: DEFINITION })).toThrow(
    expect.objectContaining({
      outcome: 'refused',
      message: expect.stringContaining(`${target}: cannot be written (E`),
    }),
  );
});

test('defaults are read in the form in which the console stores them', () => {
  writeProcess({ folder, processID: undefined, definition: DEFINITION });
  write('matrix.json', [
    { name: 'total', type: 'Moeda', default: 'R$ 1.234,56' },
    { name: 'note', type: 'Texto' },
  ]);
  expect(readProcessFolder(folder).definition.matrix).toEqual([
    { name: 'total', type: 'Moeda', default: 1234.56 },
    { name: 'note', type: 'Texto', default: '' },
  ]);
});

test.each([
  [
    'process.json',
    { ...DEFINITION.settings, apiPermission: 'YES' },
    /process.json: apiPermission: must be one of LIBERADO, BLOQUEADO/,
  ],
  ['process.json', { ...DEFINITION.settings, extra: 1 }, /process.json: extra: is no field of this file/],
  ['process.json', { processName: 'x' }, /process.json: description: is missing/],
  ['matrix.json', [{ name: 'a', type: 'Money' }], /matrix.json: 0: type: must be one of Texto/],
  ['matrix.json', [{ name: 'a', type: 'Secreto', default: 'x' }], /matrix.json: a: a Secreto has no default/],
  ['matrix.json', [{ name: 'a', type: 'Número', default: 'x' }], /matrix.json: a: "x" is not a number/],
  [
    'matrix.json',
    [
      { name: 'a', type: 'Texto' },
      { name: 'a', type: 'Texto' },
    ],
    /matrix.json: "a" is there twice/,
  ],
  ['flow.json', [], /flow.json: must be an object/],
  [
    'origins/shop.json',
    { ...DEFINITION.origins[0], mapping: [{ pointer: '', variable: 'x' }] },
    /shop.json: mapping\/0: variable: "x" is not in matrix.json/,
  ],
])('a mistake in %s is refused with the file and the field', (name, value, message) => {
  writeProcess({ folder, processID: undefined, definition: DEFINITION });
  write(name, value);
  expect(() => readProcessFolder(folder)).toThrow(message);
});

test('the error about a file that is no JSON names the file', () => {
  mkdirSync(join(folder, 'x'));
  writeFileSync(join(folder, 'x', 'process.json'), '{');
  expect(processFolders(folder)).toEqual([join(folder, 'x')]);
  expect(() => readProcessFolder(join(folder, 'x'))).toThrow(/process.json: /);
});

test('a file with a number that no double holds is refused, because JSON would pass it on as null', () => {
  writeProcess({ folder, processID: 'p1', definition: DEFINITION });
  writeFileSync(join(folder, 'flow.json'), '{"start":"a","steps":[{"limit":1e400}]}');
  expect(() => readProcessFolder(folder)).toThrow(/flow\.json: steps: 0: limit: has a number beyond the range/);
});

test('the fields of a flow are written in a fixed order, and the body that a step sends keeps its order', () => {
  const flow = {
    steps: [{ url: 'u', type: 'rest', json: { b: 1, a: 2 }, name: 'x', rows: [{ value: '1', name: 'r' }] }],
    start: 'x',
  };
  expect(jsonFile(stableFlow(flow)).replace(/\s+/g, '')).toBe(
    '{"start":"x","steps":[{"name":"x","type":"rest","json":{"b":1,"a":2},"rows":[{"name":"r","value":"1"}],"url":"u"}]}',
  );
});

test('differences name the file and the place, and origins that only the console has are ignored', () => {
  const local: ProcessDefinition = {
    ...DEFINITION,
    settings: { ...DEFINITION.settings, paused: true },
    matrix: [
      { name: 'total', type: 'Moeda', default: 11 },
      { name: 'note', type: 'Texto', default: '\u001b[31m' },
    ],
    flow: { start: 'b', steps: [] },
    origins: [],
  };
  expect(differencesOf(DEFINITION, local).map(differenceText)).toEqual([
    '~ process.json /paused: false → true',
    '~ matrix.json /total/default: 10 → 11',
    '- matrix.json /token: {"name":"token","type":"Secreto"}',
    '+ matrix.json /note: {"name":"note","type":"Texto","default":"\\u001b[31m"}',
    '~ flow.json /start: "a" → "b"',
  ]);
  expect(differencesOf(DEFINITION, structuredClone(DEFINITION))).toEqual([]);
  const moved = { ...DEFINITION, matrix: DEFINITION.matrix.toReversed() };
  expect(differencesOf(DEFINITION, moved)).toMatchObject([{ file: 'matrix.json', path: '(order)' }]);
});

test('a field is a difference whatever its name', () => {
  const flowWith = (body: unknown) => ({ ...DEFINITION, flow: { start: 'a', steps: [{ name: 'a', body }] } });
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const added: unknown = JSON.parse(`{"${name}":{}}`);
    const path = `/steps/0/body/${name}`;
    expect(differencesOf(flowWith({}), flowWith(added))).toEqual([
      { file: 'flow.json', path, from: undefined, to: {} },
    ]);
    expect(differencesOf(flowWith(added), flowWith({}))).toEqual([
      { file: 'flow.json', path, from: {}, to: undefined },
    ]);
  }
});

test('long values that differ only after their beginning are shown from where they differ', () => {
  const code = (result: string) => ({
    start: 'a',
    steps: [{ name: 'a', type: 'script', code: `${'x = 1; '.repeat(20)}${result}` }],
  });
  const [difference] = differencesOf(
    { ...DEFINITION, flow: code('return 1') },
    { ...DEFINITION, flow: code('return 2') },
  );
  expect(difference && differenceText(difference)).toBe(
    '~ flow.json /steps/0/code: … = 1; x = 1; return 1" → … = 1; x = 1; return 2"',
  );
});

test('a value is not cut within a character', () => {
  const change = { file: 'flow.json', path: '/name', from: undefined, to: `${'a'.repeat(78)}😀b` };
  expect(differenceText(change)).toBe(`+ flow.json /name: "${'a'.repeat(78)}…`);
});
