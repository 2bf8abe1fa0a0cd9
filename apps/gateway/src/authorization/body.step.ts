import { Injectable } from '@nestjs/common';
import { BodyMemory } from '../http/body-memory';
import { tenantOf } from '../http/request';
import type { AuthorizationStep } from './authorization';

/**
 * Sets the parsed body for `@Body()`. Refuses bytes that are not a JSON object in UTF-8; DTO classes validate the
 * fields.
 */
@Injectable()
export class BodyStep {
  constructor(private readonly bodies: BodyMemory) {}

  readonly check: AuthorizationStep = async ({ request, response, caller, bodyInAdvance }) => {
    request.body = await (bodyInAdvance ?? this.bodies.readJson(request, response, tenantOf(caller)));
  };
}
