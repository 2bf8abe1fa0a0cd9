import { integer, readSettings, secretKeys, serviceSettings } from '@batuta/config';
import { z } from 'zod';

/** A header's name as HTTP allows it. */
const HEADER = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

const settings = {
  ...serviceSettings,
  SECRET_KEYS: secretKeys,
  /** How often what belongs to deleted processes, and leases that ran out, are removed. */
  SWEEP_MS: integer(50, 86_400_000).default(60_000),
  /** Waiting calls of one process over all replicas (contract 8). */
  WAITING_CALLS: integer(1, 10_000).default(50),
  /** Headers that are neither kept nor mapped, besides those that never are; separated by commas. */
  HIDDEN_HEADERS: z
    .string()
    .optional()
    .transform(
      (text) =>
        text
          ?.toLowerCase()
          .split(',')
          .map((name) => name.trim()) ?? [],
    )
    .pipe(z.array(z.string().regex(HEADER, { error: 'must be names of headers, separated by commas' }))),
};

export type WebhookConfig = z.infer<z.ZodObject<typeof settings>>;

export const WEBHOOK_SETTINGS = settings;

export function readWebhookConfig(env: NodeJS.ProcessEnv): WebhookConfig {
  return readSettings(settings, env);
}

/** What the parts of the service ask of the settings; injected under this token. */
export const WEBHOOK_CONFIG = Symbol('WEBHOOK_CONFIG');
