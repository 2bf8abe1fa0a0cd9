import { CommandFailure, usageError } from '../exit-codes';
import type { Profile, ProfileStore } from '../profiles/profile-store';

/** Options of every command that choose the installation. */
export interface ConnectionOptions {
  profile?: string;
  console?: string;
  gateway?: string;
}

/**
 * The addresses and secrets for one command, from options, environment variables or the profile, in this order of
 * precedence.
 */
export class ConnectionSettings {
  readonly profileName: string;
  private loadedProfile: Profile | undefined;

  constructor(
    private readonly options: ConnectionOptions,
    private readonly env: NodeJS.ProcessEnv,
    readonly profiles: ProfileStore,
  ) {
    this.profileName = options.profile ?? nonEmpty(env['BATUTA_PROFILE']) ?? profiles.current();
  }

  /** The chosen profile; empty when it does not exist. Throws what `ProfileStore.read` throws. */
  get profile(): Profile {
    this.loadedProfile ??= this.profiles.read(this.profileName) ?? {};
    return this.loadedProfile;
  }

  /** Without a slash at its end; undefined when none is known. Throws CommandFailure for an option or variable that is no address. */
  get consoleURL(): string | undefined {
    const { console } = this.options;
    return (
      addressOf('--console', console) ??
      addressOf('BATUTA_CONSOLE_URL', this.env['BATUTA_CONSOLE_URL']) ??
      this.profile.console
    );
  }

  /** As `consoleURL`. */
  get gatewayURL(): string | undefined {
    const { gateway } = this.options;
    return (
      addressOf('--gateway', gateway) ??
      addressOf('BATUTA_GATEWAY_URL', this.env['BATUTA_GATEWAY_URL']) ??
      this.profile.gateway
    );
  }

  /** The token of BATUTA_TOKEN; else that of the profile, only for the console that issued it. */
  get token(): string | undefined {
    return (
      nonEmpty(this.env['BATUTA_TOKEN']) ?? (this.consoleURL === this.profile.console ? this.profile.token : undefined)
    );
  }

  /** The credential of BATUTA_CREDENTIAL; else that of the profile, only for the gateway of the profile. */
  get credential(): string | undefined {
    return nonEmpty(this.env['BATUTA_CREDENTIAL']) ?? (this.isOwnGateway ? this.profile.credential : undefined);
  }

  /** Whether the environment variables have a credential and no token; the credential then comes before the login of the profile. */
  get credentialComesFirst(): boolean {
    return nonEmpty(this.env['BATUTA_CREDENTIAL']) !== undefined && nonEmpty(this.env['BATUTA_TOKEN']) === undefined;
  }

  /** The key of BATUTA_PROCESS_KEY, whatever the process; else the profile's key of this process, only for the gateway of the profile. */
  processKey(processID: string): string | undefined {
    return (
      nonEmpty(this.env['BATUTA_PROCESS_KEY']) ??
      (this.isOwnGateway ? this.profile.processKeys?.[processID] : undefined)
    );
  }

  /** Changes or creates the profile, and adds process keys to it; another address or account removes the secrets of the old one. */
  save(change: Profile): void {
    this.loadedProfile = this.profiles.update(this.profileName, (stored) => {
      const kept = withoutForeignSecrets(stored, change);
      const processKeys = { ...kept.processKeys, ...change.processKeys };
      return { ...kept, ...change, ...(Object.keys(processKeys).length > 0 && { processKeys }) };
    });
  }

  /** Throws CommandFailure when no address is known. */
  requireConsoleURL(): string {
    const url = this.consoleURL;
    if (url !== undefined) return url;
    throw new CommandFailure(
      'notLoggedIn',
      `The address of the console is unknown (profile ${this.profileName}).`,
      'batuta login --console https://…, or BATUTA_CONSOLE_URL',
    );
  }

  /** Throws CommandFailure when no address is known. */
  requireGatewayURL(): string {
    const url = this.gatewayURL;
    if (url !== undefined) return url;
    const hint = '--gateway https://…, BATUTA_GATEWAY_URL, or batuta login --gateway https://…';
    throw new CommandFailure('usage', `The address of the gateway is unknown (profile ${this.profileName}).`, hint);
  }

  private get isOwnGateway(): boolean {
    return this.gatewayURL === this.profile.gateway;
  }
}

/**
 * The profile without the secrets that `change` makes foreign: another console drops the token; another gateway or account drops the credential
 * and the process keys. A login to another account replaces the token itself.
 */
function withoutForeignSecrets(profile: Profile, { console, gateway, email }: Profile): Profile {
  const kept = { ...profile };
  if (console !== undefined && console !== profile.console) delete kept.token;
  const emails = [profile.email, email].flatMap((one) => one?.toLowerCase() ?? []);
  const isOtherAccount = new Set(emails).size > 1;
  if (isOtherAccount || (gateway !== undefined && gateway !== profile.gateway)) {
    delete kept.credential;
    delete kept.processKeys;
  }
  return kept;
}

const nonEmpty = (text: string | undefined) => (text === undefined || text.trim() === '' ? undefined : text.trim());

/** A URL without a slash at its end; throws for a text that is no URL. */
function addressOf(name: string, text: string | undefined): string | undefined {
  const address = nonEmpty(text);
  if (address === undefined) return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(`${name}: must be an address such as https://batuta.example.com`);
  }
  if (url.username !== '' || url.password !== '') throw usageError(`${name}: must not hold a name or a password`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
