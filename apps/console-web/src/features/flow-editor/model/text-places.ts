import { jsonLanguage } from '@codemirror/lang-json';
import type { SyntaxNode } from '@lezer/common';

/** A part of a text, by the offsets of its first character and of the one after its last. */
export interface TextRange {
  from: number;
  to: number;
}

/**
 * The range of the value at the keys of a JSON Pointer in JSON text, or of the nearest value on the way that exists. In a text that begins
 * with a syntax error it is the range of that error.
 */
export function rangeOf(text: string, segments: readonly string[]): TextRange {
  let node = jsonLanguage.parser.parse(text).topNode.firstChild;
  for (const segment of segments) {
    const child = node && childOf(text, node, segment);
    if (!child) break;
    node = child;
  }
  return node ? { from: node.from, to: node.to } : { from: 0, to: text.length };
}

function childOf(text: string, node: SyntaxNode, segment: string): SyntaxNode | undefined {
  if (node.name === 'Array') return childrenOf(node).filter(isValue)[Number(segment)];
  const property = childrenOf(node).find((each) => {
    const name = each.name === 'Property' ? each.getChild('PropertyName') : null;
    return name !== null && nameIn(text.slice(name.from, name.to)) === segment;
  });
  return property && childrenOf(property).find(isValue);
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

function isValue({ name }: SyntaxNode): boolean {
  return ['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null'].includes(name);
}

function nameIn(quoted: string): unknown {
  try {
    return JSON.parse(quoted);
  } catch {
    return undefined;
  }
}

/** The first place at which a text is not valid JSON; the whole text if the parser finds none. */
export function syntaxErrorIn(text: string): TextRange {
  let found: TextRange | undefined;
  jsonLanguage.parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError)
        found ??= {
          from: node.from,
          to: Math.max(node.to, Math.min(node.from + 1, text.length)),
        };
      return found === undefined;
    },
  });
  return found ?? { from: 0, to: text.length };
}
