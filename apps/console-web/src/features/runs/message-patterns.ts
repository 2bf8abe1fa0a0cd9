import { i18n } from '../../i18n/instance';

export interface MessagePattern {
  /** The key of the translation. */
  key: string;
  pattern: RegExp;
}

/**
 * The patterns of English texts, by their translations `runs:<group>.<name>`. Placeholders: `n`, `m`, `k` and `l` are numbers, `word` and
 * `address` have no spaces, `call` is a method and an address, with the proxy on the way to it if there is one, and others are any
 * text. `call` and `reason` are translated by themselves.
 */
export function patternsOf(texts: Record<string, string>, group: string): MessagePattern[] {
  return Object.entries(texts).map(([name, text]) => ({ key: `runs:${group}.${name}`, pattern: patternOf(text) }));
}

/** The placeholders whose values are translated by themselves. */
const PARTS = ['call', 'reason'];

/** The translation of a message that fits a pattern; `partText` translates its call and its reason. */
export function translateMessage(
  message: string,
  patterns: readonly MessagePattern[],
  partText: (part: string) => string,
): string | undefined {
  const found = matchOf(message, patterns);
  if (!found) return undefined;
  const values = { ...found.values };
  for (const name of PARTS) {
    const part = values[name];
    if (part !== undefined) values[name] = partText(part);
  }
  return i18n.t(found.key, values);
}

/** The first pattern that the message fits, by its key, with the values of its placeholders. */
export function matchOf(
  message: string,
  patterns: readonly MessagePattern[],
): { key: string; values: Record<string, string | undefined> } | undefined {
  for (const { key, pattern } of patterns) {
    const found = pattern.exec(message);
    if (found) return { key, values: { ...found.groups } };
  }
  return undefined;
}

function patternOf(text: string): RegExp {
  const escaped = text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  const named = escaped.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => `(?<${name}>${formOf(name)})`);
  return new RegExp(`^${named}$`, 's');
}

function formOf(placeholder: string): string {
  if (placeholder.length === 1) return String.raw`\d[\d.]*`;
  if (placeholder === 'call') return String.raw`\S+ \S+(?: through the proxy \S+)?`;
  return placeholder === 'word' || placeholder === 'address' ? String.raw`\S+` : '.*';
}
