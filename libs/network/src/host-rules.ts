import { isIP } from 'node:net';
import { isNativeError } from 'node:util/types';
import { canonicalHost, isInNetwork, networkOf, parseHostRule, type HostRule, type HostTarget } from './host-rule';
import { isPublic } from './public-address';

/** The program may not connect to this host. */
export class HostRefusedError extends Error {}

/** What the messages of refusals call the program and its settings. */
export interface HostRefusalWording {
  /** The program as the subject of a sentence, such as "the agent". */
  program: string;
  allowSetting: string;
  denySetting: string;
  /** Creates the error of a refusal; by default a HostRefusedError. */
  refusal?: (message: string) => Error;
}

export interface HostLists {
  allow?: string[];
  deny?: string[];
  /**
   * True = addresses that are not public, such as private and loopback ones, are refused unless the allow list has them, and public
   * ones need no entry. False = if the allow list is not empty, every host outside of it is refused.
   */
  publicOnly?: boolean;
}

const DEFAULT_WORDING: HostRefusalWording = {
  program: 'the program',
  allowSetting: 'ALLOW_HOSTS',
  denySetting: 'DENY_HOSTS',
};

/** All errors that report a refusal, of whatever class: a program may choose its own. */
const refusals = new WeakSet<Error>();

/** Names of the metadata services of clouds. Any other name is refused by the address to which it resolves. */
const METADATA_NAMES = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
];

/** Addresses at which clouds give the credentials of a machine to every program on it. */
const METADATA_NETWORKS = [
  // Link-local: AWS, Azure, Google Cloud, OpenStack and others (169.254.169.254), containers on AWS (169.254.170.2).
  networkOf('169.254.0.0', 16),
  networkOf('fe80::', 10),
  networkOf('fd00:ec2::', 32), // AWS
  networkOf('fd20:ce::254', 128), // Google Cloud
  networkOf('100.100.100.200', 32), // Alibaba Cloud
  networkOf('168.63.129.16', 32), // Azure
  networkOf('192.0.0.192', 32), // Oracle Cloud
];

/**
 * Decides to which hosts a program may connect: to none of the deny list; with `publicOnly` only to public hosts and those of the allow
 * list, otherwise only to those of the allow list unless it is empty; and to a metadata service of a cloud only if the allow list has its
 * address or name as an entry of its own.
 */
export class HostRules {
  private constructor(
    private readonly allow: HostRule[],
    private readonly deny: HostRule[],
    private readonly publicOnly: boolean,
    private readonly wording: HostRefusalWording,
  ) {}

  /** Makes rules of the entries of both lists, each as `parseHostRule` reads it. */
  static of({ allow = [], deny = [], publicOnly = false }: HostLists = {}, wording = DEFAULT_WORDING): HostRules {
    return new HostRules(allow.map(readRule), deny.map(readRule), publicOnly, wording);
  }

  /**
   * Whether an entry of the allow list matches this host, also by a wildcard, at this port; without `port` at any. A name is not resolved, so a
   * range matches only an address.
   */
  isInAllowList(host: string, port?: number): boolean {
    const name = canonicalHost(host);
    if (name === undefined) return false;
    const target = { host: name, port, address: isIP(name) === 0 ? undefined : name };
    return this.allow.some((rule) => rule.matches(target));
  }

  /**
   * The addresses of a host to which the program may connect. Throws the program's refusal if one address is denied or none
   * is allowed. Without `addresses` only the name is checked, for a host to which a proxy connects.
   */
  permittedAddresses(host: string, port: number, addresses: string[] = []): string[] {
    const name = canonicalHost(host);
    if (name === undefined) throw this.refusal(`"${host}" is not the name or address of a host`);
    const known = isIP(name) === 0 ? addresses : [name];
    const targets = (known.length === 0 ? [undefined] : known).map((address): HostTarget => ({
      host: name,
      port,
      address,
    }));
    for (const target of targets) this.checkDenied(target);
    const allowed = targets.filter((target) => this.isAllowed(target));
    const [first] = targets;
    if (allowed.length === 0 && first) throw this.refusalOf(first, this.whyNotAllowed());
    return allowed.flatMap(({ address }) => address ?? []);
  }

  /**
   * Throws the program's refusal if the name of the host alone decides it. Called before the name is resolved: the question for an
   * address tells the servers of its domain the name, which may be made up to carry a value out.
   */
  checkName(host: string, port: number): void {
    const name = canonicalHost(host);
    if (name === undefined) throw this.refusal(`"${host}" is not the name or address of a host`);
    const target: HostTarget = { host: name, port, address: isIP(name) === 0 ? undefined : name };
    const hasAddressEntry = this.allow.some((rule) => rule.isOfAddresses === true);
    // An entry with the address of a metadata service allows its name too, once that resolves to the address.
    this.checkDenied(target, target.address === undefined && hasAddressEntry);
    const mayBeAllowed = hasAddressEntry || this.allow.some((rule) => rule.matches(target));
    if (this.allow.length > 0 && !this.publicOnly && !mayBeAllowed) throw this.refusalOf(target, this.whyNotAllowed());
  }

  private isAllowed(target: HostTarget): boolean {
    if (this.allow.some((rule) => rule.matches(target))) return true;
    return this.publicOnly ? isPublic(target.address) : this.allow.length === 0;
  }

  private whyNotAllowed(): string {
    const { program, allowSetting } = this.wording;
    return this.publicOnly
      ? `has no public address, and is not in the list of allowed hosts (setting ${allowSetting})`
      : `is not in ${program}'s list of allowed hosts (setting ${allowSetting})`;
  }

  private checkDenied(target: HostTarget, isMetadataDecidedLater = false): void {
    if (this.deny.some((rule) => rule.matches(target))) {
      const { program, denySetting } = this.wording;
      throw this.refusalOf(target, `is in ${program}'s list of denied hosts (setting ${denySetting})`);
    }
    if (isMetadataDecidedLater || !isMetadata(target) || this.allow.some((rule) => namesMetadata(rule, target))) return;
    throw this.refusalOf(
      target,
      `is a metadata service or link-local address, which only an entry for exactly this host in the setting ${this.wording.allowSetting} allows`,
    );
  }

  private refusalOf({ host, port, address }: HostTarget, why: string): Error {
    // A tenant that may reach only public hosts must not learn the private addresses of names.
    const at = address === undefined || address === host || this.publicOnly ? '' : ` (${address})`;
    return this.refusal(`${this.wording.program} does not connect to ${host}${at}, port ${port}: it ${why}`);
  }

  private refusal(message: string): Error {
    const error = this.wording.refusal?.(message) ?? new HostRefusedError(message);
    refusals.add(error);
    return error;
  }
}

/**
 * Throws the program's refusal if the host of a URL to which a proxy connects is refused. Only the host as written is checked, because the proxy
 * resolves names itself.
 */
export function checkProxiedHost(rules: HostRules, { protocol, hostname, port }: URL): void {
  rules.permittedAddresses(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
}

/** The refusal that an error or one of its causes is, even among the errors of attempts at several addresses. */
export function refusalIn(error: unknown): Error | undefined {
  if (isNativeError(error) && refusals.has(error)) return error;
  if (error instanceof AggregateError) return error.errors.map(refusalIn).find((refusal) => refusal !== undefined);
  return isNativeError(error) && error.cause !== undefined ? refusalIn(error.cause) : undefined;
}

function readRule(text: string): HostRule {
  const rule = parseHostRule(text);
  if (!rule) throw new Error(`"${text}" is not a rule for hosts`);
  return rule;
}

function isMetadata({ host, address }: HostTarget): boolean {
  if (METADATA_NAMES.includes(host)) return true;
  return address !== undefined && METADATA_NETWORKS.some((network) => isInNetwork(network, address));
}

/**
 * Whether an entry of the allow list names a metadata service. Anybody can let a name resolve to the address of such a service, so only the
 * address itself or the cloud's own name for the service counts.
 */
function namesMetadata(rule: HostRule, target: HostTarget): boolean {
  if (rule.exact === undefined || !rule.matches(target)) return false;
  return isIP(rule.exact) !== 0 || METADATA_NAMES.includes(rule.exact);
}
