import { Server } from 'node:net';
import { freePort } from '../../scripts/lib/servers.cjs';

afterEach(() => jest.restoreAllMocks());

/** `freePort` as another process has it, which knows none of the ports of this one. */
async function freePortElsewhere(wished: number): Promise<number> {
  let ofOther = freePort;
  await jest.isolateModulesAsync(async () => {
    ({ freePort: ofOther } = await import('../../scripts/lib/servers.cjs'));
  });
  return ofOther(wished);
}

test('a process that wishes for a port that another one has chosen gets another port, and does not even listen on it to see whether it is free', async () => {
  const port = await freePort();
  const listen = jest.spyOn(Server.prototype, 'listen');
  expect(await freePortElsewhere(port)).not.toBe(port);
  const listened = listen.mock.calls.map(([first]) => Object(first).path ?? first);
  expect(listened).toContain(`\0batuta-port-${port}`);
  expect(listened).not.toContain(port);
});
