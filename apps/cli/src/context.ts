import type { ConsoleClient } from '@batuta/process-files';
import { Batuta, BatutaError } from '@batuta/client';
import { createConsoleClient } from './connections/console-client';
import { fetchWithRetries } from './connections/fetch-with-retries';
import { ConnectionSettings, type ConnectionOptions } from './connections/settings';
import { CommandFailure, CredentialRefusal, refusesCaller } from './exit-codes';
import { ProfileStore } from './profiles/profile-store';
import { Output } from './terminal/output';
import type { Terminal } from './terminal/terminal';

/** Options of every command. */
export interface CommonOptions extends ConnectionOptions {
  /** Results and errors are written as JSON, and notes and progress are not shown. */
  json?: boolean;
}

/** Two ways to give the program another credential, as the end of a hint. */
export const CREDENTIAL_HINT = 'BATUTA_CREDENTIAL, or batuta credentials create <label> --save';
/** Time limit of a call with its retries and the pauses that the gateway demands. */
const GATEWAY_TIME_LIMIT_MS = 180_000;

/** The context of a command: its settings, clients and output. */
export class Context {
  readonly output: Output;
  readonly settings: ConnectionSettings;
  private readonly fetch;
  private knownConsole: ConsoleClient | undefined;
  private gatewayRefused = false;

  constructor(
    readonly terminal: Terminal,
    options: CommonOptions,
  ) {
    this.output = new Output(terminal, options.json === true);
    const profiles = new ProfileStore(terminal, (text) => this.output.note(text));
    this.settings = new ConnectionSettings(options, terminal.env, profiles);
    this.fetch = fetchWithRetries({
      signal: terminal.signal,
      onPause: (seconds, reason) => this.output.progress(`${reason}: another attempt in ${Math.ceil(seconds)} s …`),
    });
  }

  /**
   * The management API on behalf of the login session. Throws CommandFailure without an address or a token, and UnsendableCall for a token that no
   * header can carry; an expired session fails with the first call.
   */
  get console(): ConsoleClient {
    this.knownConsole ??= createConsoleClient({ ...this.session(), fetch: this.fetch });
    return this.knownConsole;
  }

  /** The management API without a session. */
  consoleForLogin(url: string): ConsoleClient {
    return createConsoleClient({ url, fetch: this.fetch });
  }

  /** The public API with the account's credential. Throws CommandFailure without an address or a credential. */
  get gateway(): Batuta {
    const url = this.settings.requireGatewayURL();
    const { credential } = this.settings;
    if (credential === undefined) {
      throw new CommandFailure('notLoggedIn', 'This needs a credential of the public API.', CREDENTIAL_HINT);
    }
    return new Batuta({
      url,
      credential,
      fetch: (request) => this.fetchFromGateway(request),
      timeout: GATEWAY_TIME_LIMIT_MS,
    });
  }

  /** Whether a token is known for the console; it may have expired. */
  get hasSession(): boolean {
    return this.settings.token !== undefined && this.settings.consoleURL !== undefined;
  }

  /** Whether a credential is known for the gateway; it may have been revoked. */
  get hasCredential(): boolean {
    return this.settings.credential !== undefined && this.settings.gatewayURL !== undefined;
  }

  /**
   * Whether runs and schedules are read and changed over the public API: without a login, or with BATUTA_CREDENTIAL, no BATUTA_TOKEN and a known
   * address of the gateway.
   */
  get usesGateway(): boolean {
    return !this.hasSession || (this.hasCredential && this.settings.credentialComesFirst);
  }

  /** The error with which a command fails: CredentialRefusal if the gateway refused the credential, else the given error. */
  failureOf(error: unknown): unknown {
    const isCredential = this.gatewayRefused && error instanceof BatutaError && refusesCaller(error);
    return isCredential ? new CredentialRefusal(error) : error;
  }

  /** The command ends with the first refusal, so the last 401 is that of the failure. */
  private async fetchFromGateway(request: Request): Promise<Response> {
    const answer = await this.fetch(request);
    this.gatewayRefused = answer.status === 401;
    return answer;
  }

  private session(): { url: string; token: string } {
    const url = this.settings.requireConsoleURL();
    const { token } = this.settings;
    if (token !== undefined) return { url, token };
    throw new CommandFailure('notLoggedIn', `Nobody is logged in at ${url} (profile ${this.settings.profileName}).`);
  }
}
