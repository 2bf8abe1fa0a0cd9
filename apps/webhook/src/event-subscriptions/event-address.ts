import { withTimeout } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { HostRules, refusalIn, type HostRefusalWording, type ResolveHost } from '@batuta/network';
import type { LookupAddress } from 'node:dns';
import { promisify } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { BLOCKED_PORTS } from './blocked-ports';
import { resolvePublicName, resolveWithSystem } from './resolve-name';

const MAX_URL_CHARACTERS = 2_000;
/**
 * Time limit of the resolution of a name, shorter than the console waits for a new subscription: a subscription that is stored after the console
 * gave up has a secret that nobody has seen.
 */
const CHECK_TIME_LIMIT_MS = 3_000;

const EVENT_WORDING: HostRefusalWording = {
  program: 'Batuta',
  allowSetting: 'EVENT_ALLOW_HOSTS',
  denySetting: 'EVENT_DENY_HOSTS',
};

class ResolutionTimeout extends Error {}

/**
 * Decides which addresses may get events. Tenants choose the addresses, and the service can reach the installation's
 * own network: it therefore calls only public hosts, and others only if the operator lists them.
 */
@Injectable()
export class EventAddresses {
  readonly rules: HostRules;

  constructor(@Inject(WEBHOOK_CONFIG) config: Pick<WebhookConfig, 'EVENT_ALLOW_HOSTS' | 'EVENT_DENY_HOSTS'>) {
    const { EVENT_ALLOW_HOSTS: allow, EVENT_DENY_HOSTS: deny } = config;
    this.rules = HostRules.of({ allow, deny, publicOnly: true }, EVENT_WORDING);
  }

  /** Throws BAD_REQUEST, naming `url`, for an address that may not be called now. Its name is resolved. */
  async requireUsable(url: string): Promise<void> {
    const problem = this.problemOf(url) ?? (await this.problemOfHost(new URL(url)));
    if (problem !== undefined) throw new ApiError('BAD_REQUEST', `url: ${problem}`);
  }

  /**
   * Why an address may not be called, judged by its text without resolving its host; each connection checks the host and the addresses to
   * which it resolves. Undefined if nothing speaks against the text.
   */
  problemOf(url: string): string | undefined {
    if (url.length > MAX_URL_CHARACTERS) return `must have at most ${MAX_URL_CHARACTERS} characters`;
    if (!URL.canParse(url)) return 'must be an absolute URL';
    const parsed = new URL(url);
    if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return 'must begin with https://';
    if (parsed.username !== '' || parsed.password !== '') return 'must have no user and no password';
    if (parsed.hash !== '') return 'must have no fragment';
    if (BLOCKED_PORTS.has(portOf(parsed))) {
      return `has the port ${parsed.port}, which other protocols than HTTP use and Batuta does not connect to`;
    }
    if (parsed.protocol === 'http:' && !this.rules.isInAllowList(parsed.hostname, portOf(parsed))) {
      return 'must begin with https://; only hosts that the operator lists may be called without TLS (setting EVENT_ALLOW_HOSTS)';
    }
    return undefined;
  }

  /** Resolves the host of a connection, in the form of `dns.lookup`. */
  readonly resolve: ResolveHost = (host, options, done) => {
    // The operator's own names may be in the hosts file, or in a search domain.
    const isOwn = host === 'localhost' || this.rules.isInAllowList(host);
    (isOwn ? resolveWithSystem : resolvePublicName)(host, options, done);
  };

  private async problemOfHost(url: URL): Promise<string | undefined> {
    try {
      this.rules.checkName(url.hostname, portOf(url));
      const found = await this.resolveInTime(url.hostname);
      this.rules.permittedAddresses(
        url.hostname,
        portOf(url),
        found.map(({ address }) => address),
      );
      return undefined;
    } catch (error) {
      if (error instanceof ResolutionTimeout) return `the host ${url.hostname} was not resolved in time`;
      return refusalIn(error)?.message ?? `the host ${url.hostname} has no address`;
    }
  }

  private resolveInTime(hostname: string): Promise<LookupAddress[]> {
    const found = promisify(this.resolve)(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true });
    return withTimeout(found, CHECK_TIME_LIMIT_MS, () => new ResolutionTimeout());
  }
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}
