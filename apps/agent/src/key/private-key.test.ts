import fs, {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPrivateKey } from '../doctor/machine-checks';
import { keyPath, loadPrivateKey } from './private-key';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-key-'));
  folder = join(root, 'state');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const loadedFingerprint = () => loadPrivateKey(folder).key.publicKey.fingerprint;

describe('key file', () => {
  test('the key of an agent is created at the first start in a file that only its user may read, and stays the same', () => {
    const { key, path, problem } = loadPrivateKey(folder);
    expect([path, problem]).toEqual([keyPath(folder), undefined]);
    expect(statSync(keyPath(folder)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(['agent-key.pem']);
    expect(readFileSync(keyPath(folder), 'utf8')).toContain('BEGIN PRIVATE KEY');
    expect(loadedFingerprint()).toBe(key.publicKey.fingerprint);
  });

  test('the key of an agent is in memory, with a problem to log, when the folder cannot be created', () => {
    writeFileSync(folder, 'a file');
    const { path, problem } = loadPrivateKey(folder);
    expect(path).toBeUndefined();
    expect(problem).toContain(keyPath(folder));
    expect(loadedFingerprint()).not.toBe(loadedFingerprint());
  });

  test('the key of an agent is stored on a file system without hard links', () => {
    const link = jest.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
    });
    const { key, path, problem } = loadPrivateKey(folder);
    const { calls } = link.mock;
    link.mockRestore();
    expect([calls.length, path, problem]).toEqual([1, keyPath(folder), undefined]);
    expect(statSync(keyPath(folder)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['agent-key.pem']);
    expect(loadedFingerprint()).toBe(key.publicKey.fingerprint);
  });

  test('the key of an agent is in memory without a problem when the setting demands it', () => {
    expect(loadPrivateKey('none')).toEqual({ key: expect.anything(), path: undefined });
  });

  test('the key of an agent never replaces a file that is no key', () => {
    mkdirSync(folder);
    writeFileSync(keyPath(folder), 'no key', { mode: 0o600 });
    expect(loadPrivateKey(folder)).toMatchObject({
      path: undefined,
      problem: expect.stringContaining('cannot be used'),
    });
    expect(readFileSync(keyPath(folder), 'utf8')).toBe('no key');
  });

  test('the key of an agent is used, with a problem to log, when other users may read it', () => {
    const before = loadedFingerprint();
    chmodSync(keyPath(folder), 0o644);
    expect(loadPrivateKey(folder).problem).toContain('other users may read');
    expect(loadedFingerprint()).toBe(before);
  });
});

describe('doctor', () => {
  test('the doctor shows the fingerprint of the stored key', () => {
    const fingerprint = loadedFingerprint();
    expect(checkPrivateKey(folder)).toEqual({
      check: 'key',
      state: 'ok',
      found: `${fingerprint}, in ${keyPath(folder)}`,
    });
  });

  test('the doctor creates no key, because it would belong to the user of the doctor', () => {
    expect(checkPrivateKey(folder)).toMatchObject({ state: 'ok', found: expect.stringContaining('makes one') });
    expect(readdirSync(root)).toEqual([]);
  });

  test.each<[string, string, () => void]>([
    ['the file is no key', 'fault', () => writeFileSync(keyPath(folder), 'no key')],
    ['others may read it', 'warning', () => (loadedFingerprint(), chmodSync(keyPath(folder), 0o604))],
  ])('the doctor finds that %s', (_, state, make) => {
    mkdirSync(folder);
    make();
    expect(checkPrivateKey(folder)).toMatchObject({ check: 'key', state, advice: expect.any(String) });
  });

  test('the doctor warns of a key in memory', () => {
    expect(checkPrivateKey('none')).toMatchObject({ state: 'warning', found: expect.stringContaining('memory') });
  });
});
