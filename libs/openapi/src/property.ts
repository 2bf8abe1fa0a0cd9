import { getSchemaPath } from '@nestjs/swagger';

/** For `@ApiProperty`: JSON of any kind. */
export const ANY_JSON = { anyOf: [{}] };

/** For `@ApiProperty`: an object whose keys are not known in advance. */
export const RECORD = { type: 'object' as const, additionalProperties: true };

/** For `@ApiProperty`: a text or null. */
export const TEXT_OR_NULL = { anyOf: [{ type: 'string' }, { type: 'null' }] };

/** For `@ApiProperty`: a flag that is absent when it does not apply. */
export const TRUE_ONLY = { type: Boolean, enum: [true] };

/** References to schemas by the name in `@ApiSchema`; Nest's own `refs` knows only the names of classes. */
export const refsTo = (...names: string[]): { $ref: string }[] => names.map((name) => ({ $ref: getSchemaPath(name) }));
