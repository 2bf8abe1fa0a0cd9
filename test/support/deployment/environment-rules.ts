import { ofKind } from './manifest';
import type { Rule } from './pod-rules';
import { programOf, settingProblems } from './settings';
import { containersIn, environmentOf, mountedSecrets } from './manifest-parts';

/** Names of variables whose value is a secret. */
export const SECRET_NAME = /(PASSWORD|SECRET|KEY|KEYS|TOKEN)$/;
/** A URL that carries a password as it is, not by reference. */
export const LITERAL_LOGIN = /\/\/[^/@\s]*:(?!\$[({])[^/@\s]+@/;
/** A password, secret or token that a text sets to a literal value, not to a reference. */
const LITERAL_SECRET = /\b(?:password|secret|token)\s*[:=]\s*(?!\$)\S/i;

/** The programs of this project and MariaDB get secrets as files: a variable would show them to whoever may read the pod or its processes. */
const secretFilesRule: Rule = (manifests) =>
  containersIn(manifests).flatMap(({ at, container, workload: { name, spec } }) => [
    ...container.env.flatMap(({ name: variable, valueFrom }) =>
      // NATS reads no passwords from files.
      valueFrom?.secretKeyRef && name !== 'nats' ? [`${at}: ${variable} is a secret in a variable`] : [],
    ),
    ...spec.volumes.flatMap(({ name: volume, projected }) =>
      projected &&
      (projected.defaultMode !== 0o440 || spec.securityContext?.fsGroup !== spec.securityContext?.runAsGroup)
        ? [`${at}: others may read ${volume}, or the program may not`]
        : [],
    ),
  ]);

/** Secrets are written in no manifest except those of kind Secret. */
const secretsRule: Rule = (manifests) => [
  ...containersIn(manifests).flatMap(({ at, container }) =>
    container.env.flatMap(({ name, value = '' }) => {
      const literal = SECRET_NAME.test(name) && value.replace(/\$\([^)]+\)/g, '').replaceAll('"', '') !== '';
      return literal || LITERAL_LOGIN.test(value) ? [`${at}: ${name} is written out`] : [];
    }),
  ),
  ...ofKind(manifests, 'ConfigMap').flatMap(({ metadata, data }) =>
    Object.entries(data).flatMap(([key, text]) =>
      SECRET_NAME.test(key) || LITERAL_LOGIN.test(text) || LITERAL_SECRET.test(text)
        ? [`ConfigMap ${metadata.name}: ${key} holds a secret`]
        : [],
    ),
  ),
];

/** Every Secret, ConfigMap, key and variable that a container refers to exists. */
const referencesRule: Rule = (manifests) =>
  containersIn(manifests).flatMap(({ at, container, workload }) =>
    environmentOf(container, manifests, workload.spec).danglingReferences.map((what) => `${at}: there is no ${what}`),
  );

/** The settings of a container are valid for its program: none is missing, refused or unknown. */
const validSettingsRule: Rule = (manifests) =>
  containersIn(manifests).flatMap(({ at, container, workload }) => {
    const program = programOf(container.command);
    if (program === undefined) return [];
    const { values, parts } = environmentOf(container, manifests, workload.spec);
    const given = Object.fromEntries(Object.entries(values).filter(([name]) => !parts.has(name)));
    return settingProblems(program, given).map((problem) => `${at}: ${problem}`);
  });

/** Every key of a Secret is used by a container; filling in any other would have no effect. */
const unusedSecretsRule: Rule = (manifests) => {
  const used = new Set(
    containersIn(manifests).flatMap(({ container, workload }) =>
      [
        ...container.env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []),
        ...mountedSecrets(container, workload.spec),
      ].map(({ name, key }) => `${name} ${key}`),
    ),
  );
  return ofKind(manifests, 'Secret').flatMap(({ metadata, data }) =>
    Object.keys(data).flatMap((key) =>
      used.has(`${metadata.name} ${key}`) ? [] : [`Secret ${metadata.name}: nobody uses ${key}`],
    ),
  );
};

export const environmentRules = {
  secrets: secretsRule,
  secretFiles: secretFilesRule,
  references: referencesRule,
  settings: validSettingsRule,
  unusedSecrets: unusedSecretsRule,
};
