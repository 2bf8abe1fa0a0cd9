import type { JsonValue } from './definition';
import type { Variables } from './variables';

/** `person`: Moeda as `1.234,56`; `machine`: as `1234.56` (reading 44). */
export type TextFormat = 'person' | 'machine';

export function renderText(_text: string, _lookup: Variables, _format: TextFormat): string {
  throw new Error('to be filled in');
}

/** Mode "Variável ou texto": a lone variable keeps its type, mixed with text it is text in the person's form. */
export function renderValue(_text: string, _lookup: Variables): unknown {
  throw new Error('to be filled in');
}

/** The body of a REST call as text, whether the definition gives a text or a JSON value with templates inside. */
export function renderBody(_body: JsonValue, _lookup: Variables): string {
  throw new Error('to be filled in');
}
