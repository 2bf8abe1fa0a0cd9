import { Transform } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { combineDecorators, fieldRule } from './field-rules';
import { isPlainObject, revealHidden, toDto, type DtoClass } from './to-dto';

/** A field whose value is itself a DTO. */
export function NestedObject(type: () => DtoClass): PropertyDecorator {
  return combineDecorators(
    Transform(({ value, key }) => readNestedObject(type(), revealHidden(value), [key])),
    fieldRule('object', 'must be an object', isPlainObject),
    ValidateNested(),
  );
}

/** A field whose value is a list of at most `max` DTOs. A longer list is refused before its items are read. */
export function NestedList(type: () => DtoClass, max: number): PropertyDecorator {
  return combineDecorators(
    Transform(({ value, key }) => {
      const list = revealHidden(value);
      if (!Array.isArray(list)) return list;
      // ValidateNested visits every item, even of a list that is refused for its length; `max + 1` nulls are refused in its place.
      if (list.length > max) return Array(max + 1).fill(null);
      return list.map((item, index) => readItem(type(), item, [key, String(index)]));
    }),
    fieldRule('list', 'must be a list', (value) => Array.isArray(value)),
    fieldRule('maxItems', `has more than ${max} items`, (value) => Array.isArray(value) && value.length <= max),
    ValidateNested({ message: 'must be an object' }),
  );
}

/** An item that is itself a list becomes null: ValidateNested accepts a list, and refuses null. */
function readItem(type: DtoClass, item: unknown, path: string[]): unknown {
  return Array.isArray(item) ? null : readNestedObject(type, item, path);
}

/** Drops the items of a list, which the rules refuse like any value that is not an object: ValidateNested would visit the items first. */
function readNestedObject(type: DtoClass, value: unknown, path: string[]): unknown {
  if (Array.isArray(value)) return [];
  return isPlainObject(value) ? toDto(type, value, path) : value;
}
