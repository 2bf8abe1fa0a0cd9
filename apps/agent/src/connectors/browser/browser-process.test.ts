import { browserEnvironment } from './browser-process';

const SOCKET_SUBPATH = '/org.chromium.Chromium.AbCdEf/SingletonSocket';

test.each(['/tmp/batuta-agent-4194304-AbCdEf/run-AbCdEf/b-AbCdEf', `/var/folders/${'x'.repeat(60)}/T/b-AbCdEf`])(
  'a browser whose files are in %s makes its socket where the path is short enough for every system',
  (folder) => {
    const { TMPDIR = '', XDG_CONFIG_HOME } = browserEnvironment(folder);
    expect((TMPDIR + SOCKET_SUBPATH).length).toBeLessThanOrEqual(103);
    expect([folder, '/tmp']).toContain(TMPDIR);
    expect(XDG_CONFIG_HOME).toBe(folder);
  },
);

test('a browser gets no variable that may hold a secret of the agent', () => {
  process.env['BATUTA_AGENT_KEY'] = 'activation-key';
  try {
    expect(JSON.stringify(browserEnvironment('/tmp/b-AbCdEf'))).not.toContain('activation-key');
  } finally {
    delete process.env['BATUTA_AGENT_KEY'];
  }
});
