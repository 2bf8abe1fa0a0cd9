import { integer, readSettings, serviceSettings, trustedProxies } from '@batuta/config';
import { z } from 'zod';

/** Scheme, host and port, as browsers send them. */
const ORIGIN = /^https?:\/\/[^\s/,*]+$/;

const settings = {
  ...serviceSettings,
  /** How long a start may take; execution refuses it afterwards and the caller gets ROUTER_ERROR. */
  START_TIMEOUT_MS: integer(100, 60_000).default(5_000),
  /** How long any other question to a service or to the database may take. */
  READ_TIMEOUT_MS: integer(100, 60_000).default(5_000),
  /** Webhook calls of all processes that may wait for an answer here at a time; further ones are answered at once. */
  MOST_WAITING_CALLS: integer(0, 1_000_000).default(10_000),
  /** Wrong credentials per minute and address before that address is refused for the rest of the minute. */
  FAILED_CREDENTIALS_PER_MINUTE: integer(1, 1_000_000).default(300),
  TRUST_PROXY: trustedProxies,
  /** Origins whose pages may call the API from a browser, separated by commas; CORS is off without any. */
  CORS_ORIGINS: z
    .string()
    .optional()
    .transform((text) => text?.split(',').map((origin) => origin.trim()) ?? [])
    .pipe(
      z.array(
        z.string().regex(ORIGIN, { error: 'must be origins such as https://erp.example.com, separated by commas' }),
      ),
    ),
  /** How long a client may take to send its headers, and then its whole request. */
  HEADERS_TIMEOUT_MS: integer(1_000, 600_000).default(10_000),
  REQUEST_TIMEOUT_MS: integer(1_000, 600_000).default(30_000),
  /** Longer than a load balancer keeps its idle connections, so that it never writes to a closed one. */
  KEEP_ALIVE_TIMEOUT_MS: integer(0, 600_000).default(75_000),
  /** What runs when the gateway stops may finish for so long. */
  CLOSE_TIMEOUT_MS: integer(0, 600_000).default(10_000),
};

export type GatewayConfig = z.infer<z.ZodObject<typeof settings>>;

/** Injection token of the settings. */
export const GATEWAY_CONFIG = Symbol('GATEWAY_CONFIG');

export const GATEWAY_SETTINGS = settings;

export function readGatewayConfig(env: NodeJS.ProcessEnv): GatewayConfig {
  return readSettings(settings, env);
}
