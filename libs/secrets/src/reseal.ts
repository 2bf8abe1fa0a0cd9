import { DatabaseSettings, readSettings, SecretKeys } from '@batuta/config';
import { openStore } from '@batuta/database';
import { endOnSignals } from '@batuta/logging';
import { KeyRing } from './key-ring';
import { reseal, type ResealReport } from './reseal/reseal';

/** Time limit of a statement: longer than in services, because no caller waits for this job. */
const STATEMENT_TIME_LIMIT_MS = 60_000;

class ResealSettings extends DatabaseSettings {
  /** The keys of the services, the new key first. */
  @SecretKeys()
  SECRET_KEYS!: string;
}

export function readResealSettings(env: NodeJS.ProcessEnv): Readonly<ResealSettings> {
  return readSettings(ResealSettings, env);
}

async function main(): Promise<void> {
  const { DATABASE_URL, SECRET_KEYS } = readResealSettings(process.env);
  const store = await openStore({
    url: DATABASE_URL,
    pool: 1,
    pipelined: true,
    statementMs: STATEMENT_TIME_LIMIT_MS,
  });
  try {
    const report = await reseal(store, new KeyRing(SECRET_KEYS));
    console.log(JSON.stringify(report));
    console.log(conclusionOf(report));
    if (Object.keys(report.left).length > 0) process.exitCode = 1;
  } finally {
    await store.close();
  }
}

function conclusionOf({ keyID, left, unreadable, idempotencyKeys: { count, until } }: ResealReport): string {
  if (unreadable.length > 0)
    return 'Some values cannot be unsealed: is their key missing in SECRET_KEYS? Keep every key.';
  if (Object.keys(left).length > 0) {
    return `Some values are still under other keys: a service does not have ${keyID} as its first key yet. Run this again after that.`;
  }
  if (until) {
    return `Every value is under ${keyID}. ${count} idempotency keys need another key until ${until.toISOString()}: remove it then.`;
  }
  return `Everything is under ${keyID}. The other keys can be removed.`;
}

if (require.main === module) {
  endOnSignals();
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
