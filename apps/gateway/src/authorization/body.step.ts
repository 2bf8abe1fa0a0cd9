import { readJsonBody } from '../http/json-body';
import type { AuthorizationStep } from './authorization';

/** Puts the parsed body where `@Body()` finds it. Refuses bytes that are no JSON object in UTF-8; DTO classes validate the fields. */
export const bodyStep: AuthorizationStep = async ({ request, bodyInAdvance }) => {
  request.body = await (bodyInAdvance ?? readJsonBody(request));
};
