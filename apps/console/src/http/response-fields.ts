import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

// Decorators for fields of answers whose OpenAPI schema says more than their TypeScript type.

export function IDField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty(Object.assign({ type: 'string', format: 'uuid' }, options));
}

export function TimeField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty(Object.assign({ type: 'string', format: 'date-time' }, options));
}

export function IntegerField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty(Object.assign({ type: 'integer' }, options));
}

/** A field of a response that holds any JSON. */
export function JsonField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty(Object.assign({ anyOf: [{}] }, options));
}

export class Done {
  @ApiProperty({ type: 'boolean', enum: [true] })
  ok!: true;
}
