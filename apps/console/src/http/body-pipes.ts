import { ApiError } from '@batuta/errors';
import { isPlainObject, refuseDeepNesting, validationPipe } from '@batuta/http';
import { MESSAGE_OF_OBSTACLE, pathToUnrepresentableNumber } from '@batuta/matrix';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';

/** Longest path of a field that a message quotes, in characters; the sender chooses the names in it. */
const MAX_PATH_LENGTH = 500;

/**
 * Pipe for a DTO whose fields are all optional: refuses a body that has none of them. It runs after the global
 * ValidationPipe.
 */
export const requireChange: PipeTransform<object, object> = {
  transform(change) {
    if (Object.keys(change).length === 0) throw new ApiError('BAD_REQUEST', 'body: has no field to change');
    return change;
  },
};

/**
 * Pipe for a body that may be a JSON object with any fields, which the handler gets unchanged; no body counts as `{}`. Throws BAD_REQUEST for
 * anything else, for deep nesting, and for a number that no double holds.
 */
export const requireObject: PipeTransform<unknown, object> = {
  transform(body = {}) {
    refuseDeepNesting(body);
    if (!isPlainObject(body)) throw new ApiError('BAD_REQUEST', 'body: must be an object');
    const path = pathToUnrepresentableNumber(body);
    if (path)
      throw new ApiError('BAD_REQUEST', `${path.join('.').slice(0, MAX_PATH_LENGTH)}: ${MESSAGE_OF_OBSTACLE.number}`);
    return body;
  },
};

/**
 * Pipe for a body that is itself a list, of at most `max` items. The pipe validates the list as the field of the DTO `type` that `items` names,
 * so messages name that field.
 */
export class ListBodyPipe<T extends object, Name extends keyof T & string> implements PipeTransform<unknown> {
  private readonly pipe = validationPipe();

  constructor(
    private readonly type: new () => T,
    private readonly items: Name,
    private readonly max: number,
  ) {}

  async transform(body: unknown, { type }: ArgumentMetadata): Promise<T[Name]> {
    if (!Array.isArray(body)) throw new ApiError('BAD_REQUEST', 'body: must be a list');
    if (body.length > this.max) throw new ApiError('BAD_REQUEST', `body: has more than ${this.max} items`);
    const dto: T = await this.pipe.transform({ [this.items]: body }, { type, metatype: this.type });
    return dto[this.items];
  }
}
