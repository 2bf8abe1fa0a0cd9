import {
  TOKENS_BEFORE_BLOCK,
  WORDS_BEFORE_OPERAND,
  STATEMENT_HEADS,
  LINE_COMMENT,
  NUMBER_TOKEN,
  REGEX_TOKEN,
  SPACE_TOKEN,
  WORD_TOKEN,
} from './javascript-lexicon';
import { bracesAt, type IsVariable } from './template';

type QuoteMark = '"' | "'" | '`';

/** A piece of JavaScript: plain code, or a reference with the quote of the string literal around it, if any. */
export type CodePart = { kind: 'code'; text: string } | CodeReference;

interface CodeReference {
  kind: 'reference';
  name: string;
  source: string;
  quote?: QuoteMark;
}

/** An open bracket. `head` = parentheses of an if or a loop, `text` = `${` of a template literal. */
interface OpenBracket {
  kind: 'block' | 'object' | 'group' | 'head' | 'list' | 'text';
  openTernaries: number;
}

/**
 * Splits a formula, a condition or a script into code and references (interpretation 43). `bracesAt` decides which braces in code,
 * strings and template literals are references; the variable need not exist. Comments and regular expressions
 * have no references.
 */
export function parseCode(code: string, isVariable?: IsVariable): CodePart[] {
  return new CodeScanner(code, isVariable).scan();
}

class CodeScanner {
  private readonly parts: CodePart[] = [];
  private readonly brackets: OpenBracket[] = [{ kind: 'block', openTernaries: 0 }];
  private position = 0;
  private plainFrom = 0;
  /** The previous token decides whether `/` is a division and whether `{` opens a block or an object. */
  private last = { text: '', isOperand: false };

  constructor(
    private readonly code: string,
    private readonly isVariable?: IsVariable,
  ) {}

  scan(): CodePart[] {
    while (this.position < this.code.length) this.readNext();
    this.addPlainCode();
    return this.parts;
  }

  private readNext(): void {
    if (this.skipPattern(SPACE_TOKEN) || this.skipPattern(LINE_COMMENT) || this.skipBlockComment()) return;
    const character = this.code.charAt(this.position);
    if (character === '"' || character === "'") return this.readString(character);
    if (character === '`') return this.openTemplateLiteral();
    if (character === '{') return this.openBrace();
    if (character === '}') return this.closeBrace();
    if (character === '/' && !this.last.isOperand && this.skipPattern(REGEX_TOKEN))
      return this.recordToken('/regex/', true);
    const number = this.skipPattern(NUMBER_TOKEN);
    if (number) return this.recordToken(number, true);
    const word = this.skipPattern(WORD_TOKEN);
    if (word) return this.recordToken(word, this.last.text === '.' || !WORDS_BEFORE_OPERAND.has(word));
    this.readPunctuation(character);
  }

  private readPunctuation(character: string): void {
    const twice = this.code.startsWith(character + character, this.position);
    if (twice && (character === '+' || character === '-')) {
      this.position += 2;
      // `++` is postfix after an operand and otherwise prefix, so the next token is read as if `++` were not there.
      return this.recordToken(character + character, this.last.isOperand);
    }
    this.position += 1;
    if (character === '(') return this.open(STATEMENT_HEADS.has(this.last.text) ? 'head' : 'group', '(');
    if (character === '[') return this.open('list', '[');
    if (character === ')' || character === ']') return this.recordToken(character, this.close() !== 'head');
    if (character === ':') return this.recordToken(this.isLabel() ? 'label:' : ':', false);
    if (character === '?') this.readQuestionMark();
    const arrow = character === '>' && this.code.charAt(this.position - 2) === '=' && this.last.text === '=';
    this.recordToken(arrow ? '=>' : character, false);
  }

  private readQuestionMark(): void {
    const next = this.code.slice(this.position, this.position + 2);
    const chain = next.startsWith('.') && !/\d/.test(next);
    if (!chain && !next.startsWith('?') && this.last.text !== '?') this.innermost().openTernaries += 1;
  }

  /** True when a colon ends a label or a `case`; false when it belongs to a ternary or follows a key. */
  private isLabel(): boolean {
    const bracket = this.innermost();
    if (bracket.openTernaries === 0) return bracket.kind === 'block';
    bracket.openTernaries -= 1;
    return false;
  }

  /** Reads an opening brace, which begins a reference, a literal `{{name}}`, or a block or object of JavaScript. */
  private openBrace(): void {
    const braces = bracesAt(this.code, this.position, this.isVariable);
    const kind = this.last.isOperand || TOKENS_BEFORE_BLOCK.has(this.last.text) ? 'block' : 'object';
    if (!braces) {
      this.position += 1;
      return this.open(kind, '{');
    }
    if (braces.kind === 'literal') this.position = braces.end;
    else this.addReference(braces.name, braces.end);
    // A reference to a known variable is an operand; an unknown name may be a block of code such as `{return}`.
    this.recordToken('{}', kind === 'object' || this.isVariable?.(braces.name) === true);
  }

  private closeBrace(): void {
    this.position += 1;
    const kind = this.close();
    if (kind === 'text') return this.readTemplateLiteral();
    this.recordToken('}', kind === 'object');
  }

  private readString(quote: '"' | "'"): void {
    this.position += 1;
    while (this.position < this.code.length) {
      const character = this.code.charAt(this.position);
      if (character === '\n' || character === '\r') break;
      if (character === quote) {
        this.position += 1;
        break;
      }
      this.readInString(character, quote);
    }
    this.recordToken(quote, true);
  }

  private openTemplateLiteral(): void {
    this.position += 1;
    this.readTemplateLiteral();
  }

  /** Reads a template literal up to its end, or up to its next `${`, after which code follows. */
  private readTemplateLiteral(): void {
    while (this.position < this.code.length) {
      const character = this.code.charAt(this.position);
      if (character === '`') {
        this.position += 1;
        return this.recordToken('`', true);
      }
      if (this.code.startsWith('${', this.position)) {
        this.position += 2;
        return this.open('text', '${');
      }
      this.readInString(character, '`');
    }
  }

  private readInString(character: string, quote: QuoteMark): void {
    if (character === '\\') {
      // `\u{41}` is one character and not a reference to a variable 41; a line break of Windows has two characters.
      const isLonger = ['\\u{', '\\\r\n'].some((escape) => this.code.startsWith(escape, this.position));
      this.position += isLonger ? 3 : 2;
      return;
    }
    const braces = character === '{' ? bracesAt(this.code, this.position, this.isVariable) : undefined;
    if (braces?.kind === 'reference') this.addReference(braces.name, braces.end, quote);
    else this.position = braces?.end ?? this.position + 1;
  }

  private addReference(name: string, end: number, quote?: QuoteMark): void {
    const source = this.code.slice(this.position, end);
    this.addPlainCode();
    this.parts.push({ kind: 'reference', name, source, ...(quote && { quote }) });
    this.position = end;
    this.plainFrom = end;
  }

  private skipBlockComment(): boolean {
    if (!this.code.startsWith('/*', this.position)) return false;
    const end = this.code.indexOf('*/', this.position + 2);
    this.position = end < 0 ? this.code.length : end + 2;
    return true;
  }

  private open(kind: OpenBracket['kind'], text: string): void {
    this.brackets.push({ kind, openTernaries: 0 });
    this.recordToken(text, false);
  }

  /** Closes the innermost bracket; surplus closing brackets leave the outermost level open. */
  private close(): OpenBracket['kind'] {
    return (this.brackets.length > 1 && this.brackets.pop()?.kind) || 'block';
  }

  private innermost(): OpenBracket {
    return this.brackets.at(-1) ?? { kind: 'block', openTernaries: 0 };
  }

  private recordToken(text: string, isOperand: boolean): void {
    this.last = { text, isOperand };
  }

  private skipPattern(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const [text] = pattern.exec(this.code) ?? [];
    this.position += text?.length ?? 0;
    return text;
  }

  private addPlainCode(): void {
    if (this.position <= this.plainFrom) return;
    this.parts.push({ kind: 'code', text: this.code.slice(this.plainFrom, this.position) });
  }
}
