import { i18n } from '../../i18n/instance';

interface MessagePattern {
  /** The key of the translation. */
  key: string;
  pattern: RegExp;
}

/**
 * The patterns of English texts, by their translations `runs:<group>.<name>`. Placeholders: `n`, `m`, `k` and `l` are numbers, `word` and
 * `address` have no spaces, `reason` is translated by itself, and others are any text.
 */
export function patternsOf(texts: Record<string, string>, group: string): MessagePattern[] {
  return Object.entries(texts).map(([name, text]) => ({ key: `runs:${group}.${name}`, pattern: patternOf(text) }));
}

/** The translation of a message that fits a pattern; `reasonText` translates its reason. */
export function translateMessage(
  message: string,
  patterns: readonly MessagePattern[],
  reasonText: (reason: string) => string,
): string | undefined {
  for (const { key, pattern } of patterns) {
    const found = pattern.exec(message);
    const reason = found?.groups?.reason;
    if (found) return i18n.t(key, { ...found.groups, ...(reason !== undefined && { reason: reasonText(reason) }) });
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
  return placeholder === 'word' || placeholder === 'address' ? String.raw`\S+` : '.*';
}
