import { isTooDeep } from '@batuta/matrix';
import { MASK_TEXT, type Mask } from './mask';

/** Replaces a JSON text of which no part can be shown. */
export const MASK_JSON = JSON.stringify(MASK_TEXT);

/**
 * JSON text as it may be shown: valid JSON, and the same text when it contains nothing that the mask hides. Values and names are masked one by one; a
 * text that is nested too deeply becomes a JSON string, masked as a whole. If the mask still finds something afterwards, such as a number that JSON
 * writes in another way, MASK_JSON replaces the whole text.
 */
export function redactJson(mask: Mask, json: string): string {
  const body: unknown = JSON.parse(json);
  if (isTooDeep(body)) {
    const redacted = mask.redact(json);
    return redacted === json ? json : JSON.stringify(redacted);
  }
  const redaction = new JsonRedaction(mask);
  const redacted = redaction.of(body);
  const text = redaction.changed ? JSON.stringify(redacted) : json;
  return mask.redact(text) === text ? text : MASK_JSON;
}

class JsonRedaction {
  changed = false;

  constructor(private readonly mask: Mask) {}

  of(node: unknown): unknown {
    if (typeof node === 'string') return this.text(node);
    if (Array.isArray(node)) return node.map((item) => this.of(item));
    if (typeof node === 'object' && node !== null) {
      // Unlike an assignment, fromEntries makes `__proto__` an ordinary field.
      return Object.fromEntries(Object.entries(node).map(([name, value]) => [this.text(name), this.of(value)]));
    }
    const text = String(node);
    return this.text(text) === text ? node : MASK_TEXT;
  }

  private text(text: string): string {
    const redacted = this.mask.redact(text);
    if (redacted !== text) this.changed = true;
    return redacted;
  }
}
