import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as s from '../shape';
import { ROOT, sampleSecret } from './settings';

/** Strict, because an unknown field is most likely a misspelt one. */
const loggingShape = s.exactObject({ driver: s.text(), options: s.dictionary(s.text()) });

const serviceShape = s.exactObject({
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
  logging: loggingShape.optional(),
  env_file: s.list(s.exactObject({ path: s.text(), required: s.flag })).default([]),
  environment: s.dictionary(s.text()).default({}),
  depends_on: s
    .dictionary(s.exactObject({ condition: s.oneOf('service_healthy', 'service_completed_successfully') }))
    .default({}),
  secrets: s.list(s.anyOf(s.text(), s.exactObject({ source: s.text(), target: s.text() }))).default([]),
  ports: s.list(s.text()).default([]),
  volumes: s.list(s.text()).default([]),
  tmpfs: s.list(s.text()).default([]),
  networks: s.list(s.text()),
  stop_grace_period: s.text().optional(),
  healthcheck: s
    .exactObject({
      /** True for programs without a port, which the health check of the image cannot ask. */
      disable: s.exactly(true).optional(),
      test: s.list(s.text()).default([]),
      interval: s.text().optional(),
      timeout: s.text().optional(),
      retries: s.number.optional(),
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

const composeShape = s.exactObject({
  name: s.text(),
  services: s.dictionary(serviceShape),
  networks: s.dictionary(s.exactObject({ internal: s.flag }).nullable()),
  volumes: s.dictionary(s.nothing),
  secrets: s.dictionary(s.exactObject({ file: s.text() })),
});

export type Compose = s.Infer<typeof composeShape>;
export type ComposeService = s.Infer<typeof serviceShape>;

/** The secrets of a service by the paths of their files. */
export function secretsOf({ secrets }: ComposeService): Map<string, string> {
  return new Map(
    secrets.map((secret) => {
      const { source, target } = typeof secret === 'string' ? { source: secret, target: secret } : secret;
      return [`/run/secrets/${target}`, source] as const;
    }),
  );
}

/** The environment of a service, in which `X` with a sample of the secret stands in place of `X_FILE` with the path of its file. */
export function environmentWithSecrets(part: ComposeService): Record<string, string> {
  const files = secretsOf(part);
  return Object.fromEntries(
    Object.entries(part.environment).map(([name, value]) => {
      const secret = name.endsWith('_FILE') ? files.get(value) : undefined;
      return secret === undefined ? [name, value] : [name.replace(/_FILE$/, ''), sampleSecret(secret)];
    }),
  );
}

export interface ComposeVariable {
  name: string;
  /** True for a reference of the form `${NAME:?}`: without a value compose refuses to start. */
  required: boolean;
}

const VARIABLE_REFERENCE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** The file with its anchors resolved and its `${variables}` as they are. */
export function readCompose(): Compose {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
  const document: unknown = parse(text, { merge: true });
  const own = Object.entries(s.dictionary(s.anything).parse(document)).filter(([key]) => !key.startsWith('x-'));
  return composeShape.parse(Object.fromEntries(own));
}

/** Files that an installation may add to docker-compose.yml. */
export const FURTHER_COMPOSE_FILES = ['docker-compose.backup.yml', 'docker-compose.evidence.yml'];

/** The content of one of these files, with its `${variables}` as they are. */
export function readFurtherCompose(file: string): unknown {
  return parse(readFileSync(join(ROOT, file), 'utf8'), { merge: true });
}

/** Every reference to a variable, in the order of the file; a variable is listed as often as it is used. */
export function variablesIn(compose: unknown): ComposeVariable[] {
  return [...JSON.stringify(compose).matchAll(VARIABLE_REFERENCE)].map(([, name = '', mark]) => ({
    name,
    required: mark === '?',
  }));
}

/** Replaces the variables as compose does. Throws with the message of the first required variable that is not set or empty. */
export function interpolate(compose: Compose, env: Record<string, string>): Compose {
  const replace = (text: string) =>
    text.replace(VARIABLE_REFERENCE, (_whole, name: string, mark: string | undefined, rest = '') => {
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
  return composeShape.parse(everywhere(compose));
}
