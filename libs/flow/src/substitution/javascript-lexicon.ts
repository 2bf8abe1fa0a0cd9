// Tokens of JavaScript as sticky patterns; repetitions that could backtrack without end are bounded.

/** A name or a keyword. */
export const WORD_TOKEN = /[\p{ID_Continue}$\u200c\u200d]+/uy;
export const NUMBER_TOKEN = /\d[\w.]*/y;
export const SPACE_TOKEN = /[\s\ufeff]+/y;
/** `<!--` begins a comment in scripts too. */
export const LINE_COMMENT = /(?:\/\/|<!--)[^\r\n\u2028\u2029]*/y;
/** A regular expression with its flags; a `/` inside a class such as `[/"]` does not end it. */
export const REGEX_TOKEN =
  /\/(?![*/])(?:\\[^\r\n]|\[(?:\\[^\r\n]|[^\]\\\r\n]){0,1000}\]|[^/\\[\r\n]){1,1000}\/[\p{ID_Continue}$]*/uy;

/** Words that stand before an operand: a `/` after them begins a regular expression. */
export const WORDS_BEFORE_OPERAND: ReadonlySet<string> = new Set(
  'return throw typeof void delete new in instanceof case do else extends'.split(' '),
);

/** Words whose parentheses are followed by a statement: a `/` after the closing parenthesis begins a regular expression. */
export const STATEMENT_HEADS: ReadonlySet<string> = new Set(['if', 'while', 'for', 'with']);

/**
 * Tokens, as CodeScanner records them, after which a `{` opens a block; after any other operator it opens an object. The scanner
 * records two tokens that JavaScript does not have: `{}` for a whole reference `{name}` or literal `{{name}}`, which may be a block such
 * as `{return}`, and `label:` for the colon after a label or a `case`. The brace that closes a block is `}`.
 */
export const TOKENS_BEFORE_BLOCK: ReadonlySet<string> = new Set([
  '', // the beginning of the code
  ...'; { } {} ) => label: do else try finally'.split(' '),
]);
