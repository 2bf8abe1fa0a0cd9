import { combined, presence, refusedAs, reveal, rule, type Presence } from '@batuta/http';
import type { ErrorCode } from '@batuta/errors';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { composed, hasControlCharacters, hasControlCharactersInProse } from './text';

/** What a field of a request says besides its type; `default` only documents the initial value of the class field. */
export interface FieldOptions extends Presence {
  default?: unknown;
  description?: string;
  examples?: unknown[];
}

type Schema = Record<string, unknown>;

const EMAIL = /^[^\s@<>()",;:\\]+@[^\s@<>()",;:\\]+$/u;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DATE_TIME = new RegExp(
  '^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|' +
    '\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|' +
    '02-(?:0[1-9]|1\\d|2[0-8])))' +
    'T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$',
);
const NO_DATE_TIME = 'is not a time in ISO 8601, such as 2030-01-31T00:00:00Z';
