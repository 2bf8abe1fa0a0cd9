import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAgentFolder, removeLeftoverFolders } from './agent-folders';

test('an agent removes the temporary files of agents that were killed, and nothing else', () => {
  const parent = mkdtempSync(join(tmpdir(), 'batuta-left-'));
  const names = ['batuta-agent-17-aaaaaa', 'batuta-agent-18-bbbbbb', 'batuta-agent-state', 'other-17-cccccc'];
  for (const name of names) mkdirSync(join(parent, name));
  removeLeftoverFolders(parent, (pid) => pid === 18);
  expect(readdirSync(parent).toSorted()).toEqual(names.slice(1).toSorted());
  rmSync(parent, { recursive: true });
});

test('an agent removes the folder of an earlier agent with the same process id, as in a container, and keeps its own folder', () => {
  const parent = mkdtempSync(join(tmpdir(), 'batuta-left-'));
  mkdirSync(join(parent, `batuta-agent-${process.pid}-aaaaaa`));
  const own = makeAgentFolder(parent);
  removeLeftoverFolders(parent);
  expect(readdirSync(parent).map((name) => join(parent, name))).toEqual([own]);
  rmSync(parent, { recursive: true });
});

test('a folder for temporary files that cannot be made is refused, and the refusal names its variable', () => {
  expect(() => makeAgentFolder(join(__filename, 'tmp'))).toThrow(
    /cannot make a folder for temporary files.*TMPDIR.*ENO/,
  );
});
