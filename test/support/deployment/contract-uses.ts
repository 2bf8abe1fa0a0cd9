import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execution, notifications, schedule, webhook } from '@batuta/contracts';
import type { Access } from './nats-access';
import { ROOT } from './settings';

/** Every subject of the contracts by the name that code calls it. */
const SUBJECTS = new Map(
  Object.entries({ execution, schedule, webhook, notifications }).flatMap(([group, members]) =>
    Object.entries(members).map(([name, { subject }]) => [`${group}.${name}`, subject]),
  ),
);

export const ALL_SUBJECTS = [...SUBJECTS.values()];

/** An example of an inbox, the subject to which the replies of a NATS client are sent. */
export const INBOX = '_INBOX.somebody.1';

/**
 * A use of a contract. After `@Handles(`, `@HandlesStreaming(`, `@OnNotification(` or `.subscribe(` the service receives the
 * messages; in any other place it sends them.
 */
const USE =
  /(@Handles(?:Streaming)?\(\s*|@OnNotification\(\s*|\.subscribe\(\s*)?\b((?:execution|schedule|webhook|notifications)\.\w+)/g;

/** The subjects that the service publishes to and subscribes to, according to its source. */
export function contractUses(service: string): Access {
  const publish = new Set<string>();
  const subscribe = new Set<string>();
  for (const text of sources(join(ROOT, 'apps', service, 'src'))) {
    for (const [, decorator, name = ''] of text.matchAll(USE)) {
      const subject = SUBJECTS.get(name);
      if (subject === undefined) continue;
      (decorator === undefined ? publish : subscribe).add(subject);
      if (decorator?.startsWith('@Handles')) publish.add(INBOX);
      if (decorator === undefined && !name.startsWith('notifications.')) subscribe.add(INBOX);
    }
  }
  const inOrder = (used: Set<string>) => [...ALL_SUBJECTS, INBOX].filter((subject) => used.has(subject));
  return { publish: inOrder(publish), subscribe: inOrder(subscribe) };
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'))
    .filter((text) => text.includes("from '@batuta/contracts'"));
}
