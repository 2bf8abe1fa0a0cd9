import { readEmail } from '@batuta/auth';
import { Integer, readSettings, Secret, SecretKeys, ServiceSettings, TrustedProxies, Url } from '@batuta/config';
import { Transform } from 'class-transformer';
import { IsDefined, IsNotEmpty, IsOptional, Matches, ValidateBy } from 'class-validator';
import { isLoopback } from './http/loopback';
import { readPassword } from './http/text';

const MAX_QUOTA = 1_000_000;

export const CONSOLE_CONFIG = Symbol('CONSOLE_CONFIG');

class Settings extends ServiceSettings {
  /** The keys that seal stored secrets, `id:base64` of 32 bytes each: the first seals, all unseal. */
  @SecretKeys()
  SECRET_KEYS!: string;

  /**
   * E-mail address of the account of the operator, who runs the installation. The console creates the account when it
   * starts, and sets its password to OPERATOR_PASSWORD.
   */
  @IsDefined({ message: 'is missing' })
  @IsNotEmpty({ message: 'is not an e-mail address' })
  @Transform(({ value }: { value: string }) => readEmail(value) ?? '')
  OPERATOR_EMAIL!: string;

  /** The password of the operator's account: 10 to 200 characters. */
  @Secret()
  @IsDefined({ message: 'is missing' })
  @IsNotEmpty({ message: 'must be 10 to 200 characters without control characters' })
  @Transform(({ value }: { value: string }) => readPassword(value) ?? '')
  OPERATOR_PASSWORD!: string;

  /** Lifetime of a login session, from the login; calls do not extend it. */
  @Integer(1, 24 * 90)
  SESSION_HOURS = 12;

  /**
   * Number of wrong passwords per minute, counted per network address, and per account or e-mail address, after which further logins and changes of
   * the password are refused. The limit is per replica, like the next three.
   */
  @Integer(1, 100_000)
  LOGIN_FAILURES_PER_MINUTE = 20;

  /**
   * Number of verified passwords per minute, right or wrong, of one account, above which its further logins and changes of the password are refused.
   */
  @Integer(1, 100_000)
  LOGINS_PER_MINUTE = 60;

  /** Number of logins per minute from one network address, right or wrong; many people may share the address of a proxy. */
  @Integer(1, 1_000_000)
  LOGINS_PER_ADDRESS = 300;

  /** Number of password resets per minute by the administrators of one company. */
  @Integer(1, 100_000)
  PASSWORD_RESETS_PER_MINUTE = 60;

  /** Maximum valid login sessions of an account; a further login ends the oldest. */
  @Integer(1, 10_000)
  SESSIONS_PER_ACCOUNT = 100;

  /** The proxies whose `X-Forwarded-For` is trusted: their number, or their networks separated by commas. */
  @TrustedProxies()
  TRUST_PROXY: number | string[] = 0;

  /**
   * Time limit for the acceptance of a manual run. After it the console asks, for as long again, whether the run was
   * accepted.
   */
  @Integer(100, 60_000)
  START_TIMEOUT_MS = 5_000;

  /** Time limit of other requests to a service; the test of an event subscription has a longer one. */
  @Integer(100, 60_000)
  READ_TIMEOUT_MS = 5_000;

  /** The URL at which third parties reach the gateway, without a slash at its end; webhook URLs begin with it. */
  @Url('http', 'https')
  @Matches(/^[^?#]*$/, { message: 'must not have a query or fragment' })
  @Transform(({ value }: { value: string }) => value.replace(/\/+$/, ''))
  GATEWAY_PUBLIC_URL!: string;

  /**
   * The URL at which agents reach the router; pages show it to people who install an agent. Without it they show a
   * placeholder.
   */
  @IsOptional()
  @Url('http', 'https')
  @Transform(({ value }: { value: string }) => value.replace(/\/+$/, ''))
  ROUTER_PUBLIC_URL?: string;

  /**
   * The container image of the agent, such as `registry.example.com/batuta-agent:1`; pages show it in the command for Docker. Without it
   * they show a command that installs the agent in an image of Node.
   */
  @IsOptional()
  @Matches(/^[\w./:@-]{1,255}$/, { message: 'must be the name of an image' })
  AGENT_IMAGE?: string;

  /** Management API calls per minute of one account, over all replicas. Operators are not tenants and have no limit. */
  @Integer(1, 1_000_000)
  CALLS_PER_MINUTE = 1_200;

  /** Calls per minute of all accounts of a company together, as a multiple of CALLS_PER_MINUTE. */
  @Integer(1, 100)
  COMPANY_CALLS_FACTOR = 5;

  // The QUOTA_ settings, most of them for a company (interpretation 55), are larger than what people create by hand, and small enough that
  // counting all rows of a kind takes milliseconds.
  /** Maximum accounts of a company. */
  @Integer(1, MAX_QUOTA)
  QUOTA_ACCOUNTS = 1_000;

  /** Maximum environments of a company. */
  @Integer(1, MAX_QUOTA)
  QUOTA_ENVIRONMENTS = 500;

  /** Maximum processes of a company. */
  @Integer(1, MAX_QUOTA)
  QUOTA_PROCESSES = 1_000;

  /**
   * Maximum versions of one process. Versions are never deleted, so the limit allows a publication on every working day
   * for years.
   */
  @Integer(1, MAX_QUOTA)
  QUOTA_VERSIONS = 1_000;

  /** Maximum versions of all processes of a company. */
  @Integer(1, MAX_QUOTA)
  QUOTA_COMPANY_VERSIONS = 50_000;

  /** Maximum valid credentials of a company. */
  @Integer(1, MAX_QUOTA)
  QUOTA_CREDENTIALS = 1_000;

  /** Maximum valid keys of all processes of a company. */
  @Integer(1, MAX_QUOTA)
  QUOTA_PROCESS_KEYS = 5_000;

  /** Maximum shares and invitations of all processes of a company. */
  @Integer(1, MAX_QUOTA)
  QUOTA_SHARES = 10_000;

  /** Maximum vault keys of a company; one account has at most 500. */
  @Integer(1, MAX_QUOTA)
  QUOTA_VAULT_KEYS = 5_000;

  /**
   * E-mail address of the account that the login page offers to everybody on this machine without a password; empty = none. `npm start` sets it.
   * With it, a console starts only at a loopback address.
   */
  @ValidateBy({
    name: 'onlyOnLoopback',
    validator: {
      validate: (email, args) =>
        email === '' || (args !== undefined && 'HOST' in args.object && isLoopback(args.object.HOST)),
      defaultMessage: () => 'must be empty unless HOST is a loopback address',
    },
  })
  DEMO_ACCOUNT_EMAIL = '';

  /** Interval of the sweeps that remove expired login sessions, and audit events of management after the days of the plan. */
  @Integer(50, 86_400_000)
  SWEEP_MS = 600_000;
}

export type ConsoleConfig = Readonly<Settings>;

/** Throws one Error that names every wrong setting. */
export function readConsoleConfig(env: NodeJS.ProcessEnv): ConsoleConfig {
  return readSettings(Settings, env);
}
