import { ApiError } from '@batuta/errors';
import { comparableName } from '@batuta/json';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';

export type DtoClass = new () => object;

/**
 * Wraps an object or list in a function while class-transformer runs, because class-transformer passes functions on
 * unchanged.
 */
type HiddenValue = () => object;

const declaredFields = new WeakMap<object, ReadonlySet<string>>();

/**
 * The DTO of an object, not validated yet: class-transformer applies the `@Transform` of each declared field, and every
 * other value stays as it was sent. `path` is the path of the object in the body.
 *
 * - Objects and lists are hidden from class-transformer, which would copy them deeply, drop keys such as `toString` and fail
 *   on `constructor`; `@Transform` sees them with `revealHidden`.
 * - Only the first unknown field gets into the DTO, for class-validator to refuse: class-transformer takes seconds for the
 *   100,000 unknown fields that a body may have.
 */
export function toDto<T>(type: new () => T, plain: object, path: string[] = []): T {
  const declared = declaredFieldsOf(type);
  const fields: Record<string, unknown> = {};
  let unknown: string | undefined;
  for (const [name, value] of Object.entries(plain)) {
    if (declared.has(name)) fields[name] = typeof value === 'object' && value !== null ? () => value : value;
    else unknown ??= name;
  }
  const dto = plainToInstance(type, fields);
  if (isPlainObject(dto)) {
    revealAll(dto);
    if (unknown !== undefined) addUnknownField(dto, unknown, path);
  }
  return dto;
}

/** The object or list that `toDto` hides from class-transformer; any other value as it is. */
export function revealHidden(value: unknown): unknown {
  return isHidden(value) ? value() : value;
}

/** The fields of an object that its DTO class declares. */
export function withoutUnknown(type: DtoClass | (new () => unknown), plain: object): object {
  const declared = declaredFieldsOf(type);
  return Object.fromEntries(Object.entries(plain).filter(([name]) => declared.has(name)));
}

/**
 * The first field of an object that is unknown, and one of whose `spellingsOf` differs from a declared name only in case or in characters
 * that are no letters or digits.
 */
export function misspelledField(
  type: DtoClass | (new () => unknown),
  plain: object,
  spellingsOf: (name: string) => string[] = (name) => [name],
): { sent: string; declared: string } | undefined {
  const declared = declaredFieldsOf(type);
  const unknown = Object.keys(plain).filter((name) => !declared.has(name));
  if (unknown.length === 0) return undefined;
  const byLetters = new Map([...declared].map((name) => [comparableName(name), name]));
  for (const sent of unknown) {
    for (const spelling of spellingsOf(sent)) {
      const declaredName = byLetters.get(comparableName(spelling));
      if (declaredName !== undefined) return { sent, declared: declaredName };
    }
  }
  return undefined;
}

export function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function declaredFieldsOf(type: DtoClass | (new () => unknown)): ReadonlySet<string> {
  const known = declaredFields.get(type);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  declaredFields.set(type, names);
  return names;
}

function revealAll(dto: object): void {
  for (const [name, value] of Object.entries(dto)) {
    // A class field that the caller did not send exists as undefined.
    if (value === undefined) Reflect.deleteProperty(dto, name);
    else Reflect.set(dto, name, revealHidden(value));
  }
}

/** Throws BAD_REQUEST for a name that every object inherits: a field `constructor` would change the class whose rules class-validator applies. */
function addUnknownField(dto: object, name: string, path: string[]): void {
  if (name in Object.prototype) throw new ApiError('BAD_REQUEST', `${[...path, name].join('.')}: is not a known field`);
  Reflect.set(dto, name, true);
}

function isHidden(value: unknown): value is HiddenValue {
  return typeof value === 'function';
}
