import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as s from '../shape';
import { ROOT } from './settings';

/** Strict for the same reason as the manifests: an unknown field is most likely a misspelt one. */
const logging = s.exactObject({ driver: s.text(), options: s.dictionary(s.text()) });

const service = s.exactObject({
  image: s.text(),
  build: s.text().optional(),
  profiles: s.list(s.text()).default([]),
  command: s.list(s.text()).optional(),
  user: s.text().optional(),
  init: s.flag.optional(),
  restart: s.text(),
  read_only: s.flag.optional(),
  cap_drop: s.list(s.text()).default([]),
  security_opt: s.list(s.text()).default([]),
  logging: logging.optional(),
  environment: s.dictionary(s.text()).default({}),
  depends_on: s
    .dictionary(s.exactObject({ condition: s.oneOf('service_healthy', 'service_completed_successfully') }))
    .default({}),
  ports: s.list(s.text()).default([]),
  volumes: s.list(s.text()).default([]),
  tmpfs: s.list(s.text()).default([]),
  networks: s.list(s.text()),
  stop_grace_period: s.text().optional(),
  healthcheck: s
    .exactObject({
      test: s.list(s.text(), 2),
      interval: s.text(),
      timeout: s.text(),
      retries: s.number,
      start_period: s.text().optional(),
    })
    .optional(),
  deploy: s
    .exactObject({
      resources: s.exactObject({
        reservations: s.exactObject({ memory: s.text() }),
        limits: s.exactObject({ cpus: s.text(), memory: s.text() }),
      }),
    })
    .optional(),
});

const composeSchema = s.exactObject({
  name: s.text(),
  services: s.dictionary(service),
  networks: s.dictionary(s.exactObject({ internal: s.flag }).nullable()),
  volumes: s.dictionary(s.nothing),
});

export type Compose = s.Infer<typeof composeSchema>;
export type ComposeService = s.Infer<typeof service>;

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
  const own = Object.entries(s.dictionary(s.anything).parse(document)).filter(([key]) => !key.startsWith('x-'));
  return composeSchema.parse(Object.fromEntries(own));
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
