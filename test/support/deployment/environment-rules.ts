import { ofKind } from './manifest';
import type { Rule } from './pod-rules';
import { programOf, settingProblems } from './settings';
import { containers, environment } from './manifest-parts';

/** Names of variables whose value is a secret. */
export const SECRET_NAME = /(PASSWORD|SECRET|KEY|KEYS|TOKEN)$/;
/** A URL that carries a password as it is, not by reference. */
export const LITERAL_LOGIN = /\/\/[^/@\s]*:(?!\$[({])[^/@\s]+@/;
/** A password, secret or token that a text sets to a literal value, not to a reference. */
const LITERAL_SECRET = /\b(?:password|secret|token)\s*[:=]\s*(?!\$)\S/i;

/** Secrets are written in no manifest except those of kind Secret. */
const secrets: Rule = (manifests) => [
  ...containers(manifests).flatMap(({ at, container }) =>
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

const references: Rule = (manifests) =>
  containers(manifests).flatMap(({ at, container }) =>
    environment(container, manifests).dangling.map((what) => `${at}: there is no ${what}`),
  );

/** The settings of a container are valid for its program: none is missing, refused or unknown. */
const settings: Rule = (manifests) =>
  containers(manifests).flatMap(({ at, container }) => {
    const program = programOf(container.command);
    if (program === undefined) return [];
    const { values, parts } = environment(container, manifests);
    const given = Object.fromEntries(Object.entries(values).filter(([name]) => !parts.has(name)));
    return settingProblems(program, given).map((problem) => `${at}: ${problem}`);
  });

/** Every key of a Secret is used by a container; filling in any other would have no effect. */
const unusedSecrets: Rule = (manifests) => {
  const used = new Set(
    containers(manifests).flatMap(({ container }) =>
      container.env.flatMap(({ valueFrom }) =>
        valueFrom ? [`${valueFrom.secretKeyRef.name} ${valueFrom.secretKeyRef.key}`] : [],
      ),
    ),
  );
  return ofKind(manifests, 'Secret').flatMap(({ metadata, data }) =>
    Object.keys(data).flatMap((key) =>
      used.has(`${metadata.name} ${key}`) ? [] : [`Secret ${metadata.name}: nobody uses ${key}`],
    ),
  );
};

export const environmentRules = { secrets, references, settings, unusedSecrets };
