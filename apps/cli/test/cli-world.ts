import { startFakeAPI, type FakeAPI } from './fake-api';
import { TestUser } from './test-terminal';

/** The fake API and the user of the current test. */
export interface CliWorld {
  readonly api: FakeAPI;
  readonly user: TestUser;
}

/**
 * Gives each test of a file a fake API and a user of its own; call it once at the top of the file. `environment` returns the environment
 * variables of the user; by default the user is logged in to the console.
 */
export function useCliWorld(environment: (url: string) => NodeJS.ProcessEnv = loginEnvironment): CliWorld {
  let api: FakeAPI;
  let user: TestUser;
  beforeEach(async () => {
    api = await startFakeAPI();
    user = new TestUser(environment(api.url));
  });
  afterEach(async () => {
    await api.close();
    await user.remove();
  });
  return {
    get api() {
      return api;
    },
    get user() {
      return user;
    },
  };
}

const loginEnvironment = (url: string): NodeJS.ProcessEnv => ({ BATUTA_CONSOLE_URL: url, BATUTA_TOKEN: 'bls_secret' });
