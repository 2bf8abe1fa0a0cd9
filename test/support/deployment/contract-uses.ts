import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contracts from '@batuta/contracts';
import { subjectAt, type EventSubject, type RpcSubject } from '@batuta/contracts';
import type { NatsSubjects } from './nats-access';
import { ROOT, SERVICES } from './settings';

type Contract = RpcSubject<unknown, unknown> | EventSubject<unknown>;

/** Every contract by the name under which code refers to it, such as `execution.start`. */
const CONTRACTS = new Map(
  Object.entries<unknown>(contracts).flatMap(([group, members]) =>
    Object.entries<unknown>(Object(members))
      .filter((entry): entry is [string, Contract] => isContract(entry[1]))
      .map(([name, contract]) => [`${group}.${name}`, contract]),
  ),
);

/** The names of the groups of contracts, such as `execution`. */
const GROUPS = [...new Set([...CONTRACTS.keys()].map((name) => name.slice(0, name.indexOf('.'))))];

function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && 'kind' in value && 'subject' in value;
}

/**
 * The subject of the requests or notifications of a contract and, if the requests of one tenant go to the same replica, an example of the
 * subject of one replica.
 */
function subjectsOf(contract: Contract): string[] {
  const hasReplicas = contract.kind === 'rpc' && contract.replicas !== undefined;
  return [contract.subject, ...(hasReplicas ? [subjectAt('some-replica', contract)] : [])];
}

export const ALL_SUBJECTS = [...CONTRACTS.values()].flatMap(subjectsOf);

/** An inbox of a service of the previous release, whose inboxes do not contain the name of the service. */
export const INBOX_OF_PREVIOUS_RELEASE = '_INBOX.somebody.1';

/** An example of an inbox, a subject on which the service gets replies. */
export const inboxOf = (service: string) => `_INBOX.${service}.somebody.1`;

/** An inbox of each service, and one of the previous release. */
export const INBOXES = [...SERVICES.map(inboxOf), INBOX_OF_PREVIOUS_RELEASE];

/**
 * A use of a contract. After `@Handles(`, `@HandlesStreaming(`, `@OnNotification(` or `.subscribe(` the service receives the
 * messages; in any other place it sends them. A name in quotes, such as the name of an action, and a type, after `typeof`, do not count.
 */
const CONTRACT_USE = new RegExp(
  String.raw`(@Handles(?:Streaming)?\(\s*|@OnNotification\(\s*|\.subscribe\(\s*)?(?<!'|typeof )\b((?:${GROUPS.join('|')})\.\w+)`,
  'g',
);

/** The subjects that the service publishes to and subscribes to, according to its source. */
export function subjectsUsedBy(service: string): NatsSubjects {
  const publish = new Set<string>();
  const subscribe = new Set<string>();
  for (const text of sourceTextsOf(service)) {
    for (const [, decorator, name = ''] of text.matchAll(CONTRACT_USE)) {
      const contract = CONTRACTS.get(name);
      if (!contract) continue;
      for (const subject of subjectsOf(contract)) (decorator === undefined ? publish : subscribe).add(subject);
      if (decorator?.startsWith('@Handles')) for (const inbox of INBOXES) publish.add(inbox);
      if (decorator === undefined && contract.kind === 'rpc') {
        for (const inbox of [inboxOf(service), INBOX_OF_PREVIOUS_RELEASE]) subscribe.add(inbox);
        if (contract.replicas) subscribe.add(contract.replicas.subject);
      }
    }
  }
  const inOrder = (used: Set<string>) => [...ALL_SUBJECTS, ...INBOXES].filter((subject) => used.has(subject));
  return { publish: inOrder(publish), subscribe: inOrder(subscribe) };
}

/** Libraries that call other services on behalf of the service that imports them. */
const CALLING_LIBS = ['events'];

function sourceTextsOf(service: string): string[] {
  const own = sourceTextsIn(join(ROOT, 'apps', service, 'src'));
  const libs = CALLING_LIBS.filter((lib) => own.some((text) => text.includes(`from '@batuta/${lib}'`)));
  const all = [...own, ...libs.flatMap((lib) => sourceTextsIn(join(ROOT, 'libs', lib, 'src')))];
  return all.filter((text) => text.includes("from '@batuta/contracts'"));
}

function sourceTextsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'));
}
