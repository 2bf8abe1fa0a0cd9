import { getSchemaPath } from '@nestjs/swagger';

/** Schema for `@ApiProperty`: JSON of any kind. */
export const ANY_JSON = { anyOf: [{}] };

/** Schema for `@ApiProperty`: an object whose keys are not known in advance. */
export const ANY_RECORD = { type: 'object' as const, additionalProperties: true };

/** Schema for `@ApiProperty`: a text or null. */
export const TEXT_OR_NULL = { anyOf: [{ type: 'string' }, { type: 'null' }] };

/** Schema for `@ApiProperty`: a flag that is always true, and absent when it does not apply. */
export const TRUE_ONLY = { type: Boolean, enum: [true] };

/** References to schemas by the name in `@ApiSchema`; Nest's own `refs` knows only the names of classes. */
export const refsTo = (...names: string[]): { $ref: string }[] => names.map((name) => ({ $ref: getSchemaPath(name) }));
