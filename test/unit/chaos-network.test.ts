import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CUT_AND_REPAIR = join(__dirname, '..', 'chaos', 'cut-and-repair.mjs');

test.each([
  ['of its own, where this user may make one', []],
  ['of the loopback', ['loopback']],
])(
  'a machine of the chaos run in a network %s loses packets while it is cut off, and gets them after that',
  async (_kind, args) => {
    const { stdout } = await promisify(execFile)(process.execPath, [CUT_AND_REPAIR, ...args], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    });
    expect(JSON.parse(stdout)).toMatchObject({ whileCut: '', repaired: 'text' });
  },
);
