import { integer, readSettings, secretKeys, serviceSettings, trustedProxies } from '@batuta/config';
import { z } from 'zod';
import { email, password } from './http/fields';

/** Without a slash at its end; a query or fragment could not be followed by a path. */
const publicURL = z
  .url({ protocol: /^https?$/, error: 'must begin with http:// or https://' })
  .regex(/^[^?#]*$/, { error: 'must not have a query or fragment' })
  .transform((text) => text.replace(/\/+$/, ''));

const settings = {
  ...serviceSettings,
  SECRET_KEYS: secretKeys,
  /** The account that runs the service; made at start-up, and its password set to this one. */
  OPERATOR_EMAIL: email(),
  OPERATOR_PASSWORD: password(),
  SESSION_HOURS: integer(1, 24 * 90).default(12),
  /** Refused logins a minute, of one address and for one e-mail, before further ones wait. */
  LOGIN_FAILURES_PER_MINUTE: integer(1, 100_000).default(20),
  TRUST_PROXY: trustedProxies,
  /** How long a run by hand may take to be accepted; afterwards it is ROUTER_ERROR. */
  START_TIMEOUT_MS: integer(100, 60_000).default(5_000),
  /** How long any other question to a service may take. */
  READ_TIMEOUT_MS: integer(100, 60_000).default(5_000),
  /** Where third parties reach the gateway; webhook URLs begin with it. */
  GATEWAY_PUBLIC_URL: publicURL,
  /** How often expired logins are removed. */
  SWEEP_MS: integer(50, 86_400_000).default(600_000),
};

export type ConsoleConfig = z.infer<z.ZodObject<typeof settings>>;

export const CONSOLE_SETTINGS = settings;

export function readConsoleConfig(env: NodeJS.ProcessEnv): ConsoleConfig {
  return readSettings(settings, env);
}
