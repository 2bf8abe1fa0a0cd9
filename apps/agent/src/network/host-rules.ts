import { isIP } from 'node:net';
import { isNativeError } from 'node:util/types';
import { StepError } from '../flow/step-error';
import { canonicalHost, isInNetwork, networkOf, parseHostRule, type HostRule, type ConnectionGoal } from './host-rule';

export const ALLOW_SETTING = 'BATUTA_AGENT_ALLOW_HOSTS';
export const DENY_SETTING = 'BATUTA_AGENT_DENY_HOSTS';

/** A step may not connect to this host. */
export class HostRefusedError extends StepError {}

/** Names under which clouds serve metadata; other names lead to one of the addresses. */
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
 * Which hosts steps may connect to: none of the deny list, only those of the allow list unless it is empty, and a metadata
 * service of a cloud only if the allow list has its address or name as an entry of its own.
 */
export class HostRules {
  private constructor(
    private readonly allow: HostRule[],
    private readonly deny: HostRule[],
  ) {}

  /** Makes rules of the entries of both lists, each as `parseHostRule` reads it. */
  static of({ allow = [], deny = [] }: { allow?: string[]; deny?: string[] } = {}): HostRules {
    return new HostRules(allow.map(readRule), deny.map(readRule));
  }

  /**
   * Those of the addresses of a host to which a step may connect. Throws HostRefusedError if one of them is denied or none
   * is allowed. Without `addresses` only the host's name is checked: a proxy connects to it.
   */
  permitted(host: string, port: number, addresses: string[] = []): string[] {
    const name = canonicalHost(host);
    if (name === undefined) throw new HostRefusedError(`"${host}" is not the name or address of a host`);
    const known = isIP(name) === 0 ? addresses : [name];
    const targets = (known.length === 0 ? [undefined] : known).map((address): ConnectionGoal => ({
      host: name,
      port,
      address,
    }));
    for (const target of targets) this.checkDenied(target);
    const allowed = targets.filter(
      (target) => this.allow.length === 0 || this.allow.some((rule) => rule.matches(target)),
    );
    const [first] = targets;
    if (allowed.length === 0 && first) {
      throw refusalOf(first, `is not in the agent's list of allowed hosts (setting ${ALLOW_SETTING})`);
    }
    return allowed.flatMap(({ address }) => address ?? []);
  }

  private checkDenied(target: ConnectionGoal): void {
    if (this.deny.some((rule) => rule.matches(target))) {
      throw refusalOf(target, `is in the agent's list of denied hosts (setting ${DENY_SETTING})`);
    }
    if (!isMetadata(target) || this.allow.some((rule) => namesMetadata(rule, target))) return;
    throw refusalOf(
      target,
      `is a metadata service or link-local address, which only an entry for exactly this host in the setting ${ALLOW_SETTING} allows`,
    );
  }
}

/** The check of an address that a proxy connects to. It resolves names by itself: only the name, or an address in its place, counts. */
export function checkName(rules: HostRules, { protocol, hostname, port }: URL): void {
  rules.permitted(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
}

/** The refusal that an error reports, also among the failed attempts at several addresses. */
export function refusalIn(error: unknown): HostRefusedError | undefined {
  if (error instanceof HostRefusedError) return error;
  if (error instanceof AggregateError) return error.errors.map(refusalIn).find((refusal) => refusal !== undefined);
  return isNativeError(error) && error.cause !== undefined ? refusalIn(error.cause) : undefined;
}

function readRule(text: string): HostRule {
  const rule = parseHostRule(text);
  if (!rule) throw new Error(`"${text}" is not a rule for hosts`);
  return rule;
}

function isMetadata({ host, address }: ConnectionGoal): boolean {
  if (METADATA_NAMES.includes(host)) return true;
  return address !== undefined && METADATA_NETWORKS.some((network) => isInNetwork(network, address));
}

/** A name that anybody can point at a metadata address does not allow it: the entry is the address, or a name of the cloud. */
function namesMetadata(rule: HostRule, target: ConnectionGoal): boolean {
  if (rule.exact === undefined || !rule.matches(target)) return false;
  return isIP(rule.exact) !== 0 || METADATA_NAMES.includes(rule.exact);
}

function refusalOf({ host, port, address }: ConnectionGoal, why: string): HostRefusedError {
  const at = address === undefined || address === host ? '' : ` (${address})`;
  return new HostRefusedError(`the agent does not connect to ${host}${at}, port ${port}: it ${why}`);
}
