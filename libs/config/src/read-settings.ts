import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';

/**
 * Reads settings from the environment into an instance of a class whose properties are named like the variables. Only
 * properties with a validator are read; the initial value of a property is its default; empty text counts as absent. Throws
 * one Error that names every wrong setting and never repeats a value, which may be a secret.
 */
export function readSettings<Settings extends object>(
  type: new () => Settings,
  env: NodeJS.ProcessEnv,
): Readonly<Settings> {
  const settings = plainToInstance(type, givenSettings(settingNames(type), env));
  const errors = validateSync(settings, { stopAtFirstError: true });
  if (errors.length === 0) return settings;
  throw new Error(`Settings are wrong:\n  ${errors.map(describeError).join('\n  ')}`);
}

function settingNames(type: new () => object): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

function givenSettings(names: string[], env: NodeJS.ProcessEnv): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of names) {
    const text = env[name];
    if (text !== undefined && text !== '') given[name] = text;
  }
  return given;
}

function describeError({ property, constraints }: ValidationError): string {
  return `${property}: ${Object.values(constraints ?? {})[0] ?? 'is wrong'}`;
}
