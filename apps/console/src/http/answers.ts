import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

// Decorators for the fields of answers that have more to say than their TypeScript type.

export function IDField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty(Object.assign({ type: 'string', format: 'uuid' }, options));
}

export function TimeField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty(Object.assign({ type: 'string', format: 'date-time' }, options));
}

export function IntegerField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty(Object.assign({ type: 'integer' }, options));
}

/** Any JSON. */
export function JsonField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty(Object.assign({ anyOf: [{}] }, options));
}

export class Done {
  @ApiProperty({ type: 'boolean', enum: [true] })
  ok!: true;
}
