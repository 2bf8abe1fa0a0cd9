import { Integer, List, readSettings, ServiceSettings, TrustedProxies } from '@batuta/config';

/** Scheme, host and port, as browsers send them. */
const ORIGIN_PATTERN = /^https?:\/\/[^\s/,*]+$/;

class Settings extends ServiceSettings {
  /**
   * Time limit of a start. Execution refuses a start that arrives later. After the limit, for the same length of time,
   * the gateway asks whether the start was stored.
   */
  @Integer(100, 60_000)
  START_TIMEOUT_MS = 5_000;

  /** Time limit of most other requests to a service or to the database. */
  @Integer(100, 60_000)
  READ_TIMEOUT_MS = 5_000;

  /** Maximum number of webhook calls that wait for an answer at this replica; further calls start their process too, and are answered at once. */
  @Integer(0, 1_000_000)
  MOST_WAITING_CALLS = 10_000;

  /** The part of MOST_WAITING_CALLS for the processes of one company. The default is a fifth, as many as the permits of 40 processes. */
  @Integer(0, 1_000_000)
  COMPANY_WAITING_CALLS = 2_000;

  /** A company may send this multiple of the requests per minute of one credential (interpretation 54). */
  @Integer(1, 100)
  COMPANY_RATE_FACTOR = 3;

  /** Maximum number of event streams of one account at one replica. The default is a tenth of all streams that a replica serves. */
  @Integer(1, 1_000)
  ACCOUNT_STREAMS = 100;

  /** Unknown, revoked or expired credentials per minute and address at one replica before that address is refused for the rest of the minute. */
  @Integer(1, 1_000_000)
  FAILED_CREDENTIALS_PER_MINUTE = 300;

  /** The proxies whose `X-Forwarded-For` is trusted: their number, or their networks separated by commas. */
  @TrustedProxies()
  TRUST_PROXY: number | string[] = 0;

  /** Origins whose pages may call the API from a browser, separated by commas; without any, CORS is off. */
  @List(ORIGIN_PATTERN, 'must be origins such as https://erp.example.com, separated by commas')
  CORS_ORIGINS: string[] = [];

  /** Time limit for a client to send its headers. */
  @Integer(1_000, 600_000)
  HEADERS_TIMEOUT_MS = 10_000;

  /** Time limit for a client to send its whole request. */
  @Integer(1_000, 600_000)
  REQUEST_TIMEOUT_MS = 30_000;

  /**
   * How long an idle connection stays open. It must be longer than the idle timeout of the load balancer, which
   * otherwise may write to a connection that the gateway has closed.
   */
  @Integer(0, 600_000)
  KEEP_ALIVE_TIMEOUT_MS = 75_000;

  /**
   * When the gateway stops, requests in flight have this time to end; callers that still wait get the present state about a second before its end.
   */
  @Integer(0, 600_000)
  CLOSE_TIMEOUT_MS = 10_000;
}

export type GatewayConfig = Readonly<Settings>;

/** Injection token of the settings, a GatewayConfig. */
export const GATEWAY_CONFIG = Symbol('GATEWAY_CONFIG');

/** Throws one Error that names every wrong setting. */
export function readGatewayConfig(env: NodeJS.ProcessEnv): GatewayConfig {
  return readSettings(Settings, env);
}
