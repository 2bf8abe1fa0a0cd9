import type { Variables } from './variables';

export type RenderedBody = { json: string } | { problem: string };

/** The body of a Webhook Response step (spec 4.17, reading 30). */
export function renderResponseBody(_template: string, _lookup: Variables): RenderedBody {
  throw new Error('to be filled in');
}
