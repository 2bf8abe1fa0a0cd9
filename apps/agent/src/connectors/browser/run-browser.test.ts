import { Control } from '../../execution/control';
import { hostAccess } from '../../network/host-access';
import { agentHostRules } from '../../network/agent-host-rules';
import { BrowserProcess } from './browser-process';
import { RunBrowser } from './run-browser';

afterEach(() => jest.restoreAllMocks());

test('the end of an execution ends a browser that hangs before its first page', async () => {
  let hangs: (() => void) | undefined;
  const hung = new Promise<void>((resolve) => {
    hangs = resolve;
  });
  let fail: ((error: Error) => void) | undefined;
  const newContext = () => {
    hangs?.();
    return new Promise((_resolve, reject) => {
      fail = reject;
    });
  };
  const kill = jest.fn(() => Promise.resolve(fail?.(new Error('Browser closed'))));
  const members = { browser: { value: { newContext } }, kill: { value: kill } };
  jest.spyOn(BrowserProcess, 'start').mockImplementation(() => Promise.resolve(Object.create({}, members)));
  const browser = { program: process.execPath, sandbox: true };
  const run = new RunBrowser({ browser, hostAccess: hostAccess(agentHostRules()), control: new Control() });
  const session = run.ensureSession().catch((error: unknown) => error);
  await hung;
  await run.close();
  expect(kill).toHaveBeenCalled();
  expect(await session).toMatchObject({ name: 'StoppedError' });
});
