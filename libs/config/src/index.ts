import { z } from 'zod';

/**
 * Reads settings from the environment through a zod shape whose keys are the variables' names. Empty text counts as
 * absent. Throws one Error that names every wrong setting, never its value: it may be a secret.
 */
export function readSettings<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv,
): z.infer<z.ZodObject<Shape>> {
  const given = Object.fromEntries(
    Object.keys(shape).flatMap((name) => (env[name] === undefined || env[name] === '' ? [] : [[name, env[name]]])),
  );
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`Settings are wrong:\n  ${faults.join('\n  ')}`);
}

/** A whole number given as text. */
export const integer = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

/** `true`/`false` (also 1/0) given as text. */
export const flag = () => z.stringbool();

const url = (...protocols: string[]) =>
  z.url().refine((text) => protocols.some((protocol) => text.startsWith(`${protocol}://`)), {
    message: `must begin with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
  });

/** For Express's `trust proxy`: how many proxies tell the caller's address (0 = none), or their networks, separated by commas. */
export const trustedProxies = z
  .string()
  .default('0')
  .transform((text) => (/^\d{1,2}$/.test(text) ? Number(text) : text.split(',').map((network) => network.trim())));

/** Settings that every service has. `PORT` 0 takes a free port. */
export const serviceSettings = {
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535).default(0),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** `mysql://user:password@host:port/database` */
  DATABASE_URL: url('mysql', 'mariadb'),
  DATABASE_POOL: integer(1, 500).default(10),
  /** `nats://user:password@host:port` */
  NATS_URL: url('nats', 'tls'),
};

/** `SECRET_KEYS=k2:<base64 of 32 bytes>,k1:…`: the first key seals, all of them unseal. */
export const secretKeys = z.string().regex(/^[\w-]+:[A-Za-z0-9+/=_-]+(,[\w-]+:[A-Za-z0-9+/=_-]+)*$/, {
  message: 'must be id:base64key, several separated by commas',
});
