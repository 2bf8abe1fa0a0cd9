import { ApiError } from '@batuta/errors';
import { isPlainObject, refuseDeepNesting, validationPipe } from '@batuta/http';
import { OBSTACLES, pathToUnheld } from '@batuta/matrix';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';

/** Limit of a path in a message, in characters, because the sender chooses its keys. */
const MAX_PATH_LENGTH = 500;

/** For a DTO whose fields are all optional: refuses a body without any of them. It runs behind the global ValidationPipe. */
export const requireChange: PipeTransform<object, object> = {
  transform(change) {
    if (Object.keys(change).length === 0) throw new ApiError('BAD_REQUEST', 'body: has no field to change');
    return change;
  },
};

/** For a body that is a JSON object of any fields: the handler gets it as it was sent. */
export const requireObject: PipeTransform<unknown, object> = {
  transform(body = {}) {
    refuseDeepNesting(body);
    if (!isPlainObject(body)) throw new ApiError('BAD_REQUEST', 'body: must be an object');
    const path = pathToUnheld(body);
    if (path) throw new ApiError('BAD_REQUEST', `${path.join('.').slice(0, MAX_PATH_LENGTH)}: ${OBSTACLES.number}`);
    return body;
  },
};

/** For a body that is itself a list: reads it as the field `items` of the DTO `type`, whose name messages use. */
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
