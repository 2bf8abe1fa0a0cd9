import { readEmail } from '@batuta/auth';
import { Integer, readSettings, SecretKeys, ServiceSettings, TrustedProxies, Url } from '@batuta/config';
import { Transform } from 'class-transformer';
import { IsDefined, IsNotEmpty, Matches } from 'class-validator';
import { readPassword } from './http/text';

const MAX_QUOTA = 1_000_000;

export const CONSOLE_CONFIG = Symbol('CONSOLE_CONFIG');

class Settings extends ServiceSettings {
  @SecretKeys()
  SECRET_KEYS!: string;

  /** The account that runs the service; start-up creates it and sets its password to OPERATOR_PASSWORD. */
  @IsDefined({ message: 'is missing' })
  @IsNotEmpty({ message: 'is not an e-mail address' })
  @Transform(({ value }: { value: string }) => readEmail(value) ?? '')
  OPERATOR_EMAIL!: string;

  @IsDefined({ message: 'is missing' })
  @IsNotEmpty({ message: 'must be 10 to 200 characters without control characters' })
  @Transform(({ value }: { value: string }) => readPassword(value) ?? '')
  OPERATOR_PASSWORD!: string;

  /** Lifetime of a login session. */
  @Integer(1, 24 * 90)
  SESSION_HOURS = 12;

  /** Refused logins per minute, of one address and for one e-mail address, before further logins wait. */
  @Integer(1, 100_000)
  LOGIN_FAILURES_PER_MINUTE = 20;

  @TrustedProxies()
  TRUST_PROXY: number | string[] = 0;

  /** Time limit of a run by hand to be accepted; afterwards it is ROUTER_ERROR. */
  @Integer(100, 60_000)
  START_TIMEOUT_MS = 5_000;

  /** Time limit of every other request to a service. */
  @Integer(100, 60_000)
  READ_TIMEOUT_MS = 5_000;

  /** Where third parties reach the gateway, without a slash at its end; webhook URLs begin with it. */
  @Url('http', 'https')
  @Matches(/^[^?#]*$/, { message: 'must not have a query or fragment' })
  @Transform(({ value }: { value: string }) => value.replace(/\/+$/, ''))
  GATEWAY_PUBLIC_URL!: string;

  /** Management API calls per minute of one account, over all replicas. Operators are not tenants and have no limit. */
  @Integer(1, 1_000_000)
  CALLS_PER_MINUTE = 1_200;

  // Quotas of a company (interpretation 55): more than people make by hand, and few enough that counting all rows of a kind
  // takes milliseconds.
  @Integer(1, MAX_QUOTA)
  QUOTA_ACCOUNTS = 1_000;

  @Integer(1, MAX_QUOTA)
  QUOTA_ENVIRONMENTS = 500;

  @Integer(1, MAX_QUOTA)
  QUOTA_PROCESSES = 1_000;

  /** Versions of one process. They are never deleted, so the limit allows a publication on every working day for years. */
  @Integer(1, MAX_QUOTA)
  QUOTA_VERSIONS = 1_000;

  @Integer(1, MAX_QUOTA)
  QUOTA_CREDENTIALS = 1_000;

  @Integer(1, MAX_QUOTA)
  QUOTA_PROCESS_KEYS = 5_000;

  @Integer(1, MAX_QUOTA)
  QUOTA_SHARES = 10_000;

  @Integer(1, MAX_QUOTA)
  QUOTA_VAULT_KEYS = 5_000;

  /** Interval of the sweep that removes expired login sessions. */
  @Integer(50, 86_400_000)
  SWEEP_MS = 600_000;
}

export type ConsoleConfig = Readonly<Settings>;

/** Throws one Error that names every wrong setting. */
export function readConsoleConfig(env: NodeJS.ProcessEnv): ConsoleConfig {
  return readSettings(Settings, env);
}
