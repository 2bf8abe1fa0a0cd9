import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from './settings';

/** Strict for the same reason as the manifests: an unknown field is most likely a misspelt one. */
const logging = z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) });

const service = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  profiles: z.array(z.string()).default([]),
  command: z.array(z.string()).optional(),
  user: z.string().optional(),
  init: z.boolean().optional(),
  restart: z.string(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  logging: logging.optional(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
    .default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  stop_grace_period: z.string().optional(),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()).min(2),
      interval: z.string(),
      timeout: z.string(),
      retries: z.number(),
      start_period: z.string().optional(),
    })
    .optional(),
  deploy: z
    .strictObject({
      resources: z.strictObject({
        reservations: z.strictObject({ memory: z.string() }),
        limits: z.strictObject({ cpus: z.string(), memory: z.string() }),
      }),
    })
    .optional(),
});

const composeSchema = z.strictObject({
  name: z.string(),
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean() }).nullable()),
  volumes: z.record(z.string(), z.null()),
});

export type Compose = z.infer<typeof composeSchema>;
export type ComposeService = z.infer<typeof service>;

export interface Variable {
  name: string;
  /** `:?`: compose stops without it. */
  required: boolean;
}

const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** The file with its anchors resolved and its `${variables}` as they are. */
export function readCompose(): Compose {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
  const document: unknown = parse(text, { merge: true });
  const own = Object.entries(z.record(z.string(), z.unknown()).parse(document)).filter(
    ([key]) => !key.startsWith('x-'),
  );
  const result = composeSchema.safeParse(Object.fromEntries(own));
  if (!result.success) throw new Error(z.prettifyError(result.error));
  return result.data;
}

export function variablesIn(compose: unknown): Variable[] {
  return [...JSON.stringify(compose).matchAll(VARIABLE)].map(([, name = '', mark]) => ({
    name,
    required: mark === '?',
  }));
}

/** With variables replaced as compose does it. Throws the message of the first required one that is not set. */
export function interpolated(compose: Compose, env: Record<string, string>): Compose {
  const replace = (text: string) =>
    text.replace(VARIABLE, (_whole, name: string, mark: string | undefined, rest = '') => {
      const value = env[name];
      if (value !== undefined && value !== '') return value;
      if (mark === '?') throw new Error(`required variable ${name} is missing a value: ${rest}`);
      return mark === '-' ? rest : '';
    });
  const everywhere = (part: unknown): unknown => {
    if (typeof part === 'string') return replace(part);
    if (Array.isArray(part)) return part.map(everywhere);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, everywhere(value)]));
  };
  return composeSchema.parse(everywhere(compose));
}
