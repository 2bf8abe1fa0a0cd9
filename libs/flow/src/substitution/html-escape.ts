/** Escapes a value for a text. `literal` is the author's text between the previous value, or the beginning, and this value. */
export type EscapeValue = (value: string, literal: string) => string;

/** Characters that could begin markup or a character reference in the text of a page. */
const ESCAPED_IN_TEXT = /[&<>"']/g;
/** Inside a tag any other character could end an attribute, for instance a space where the author wrote no quotes. */
const ESCAPED_IN_TAG = /[^\p{L}\p{N}._-]/gu;

/** Returns the escaping function for one HTML text. Between its calls the function remembers whether the text is inside a tag. */
export function htmlEscape(): EscapeValue {
  let inTag = false;
  return (value, literal) => {
    const opens = literal.lastIndexOf('<');
    const closes = literal.lastIndexOf('>');
    if (opens !== closes) inTag = opens > closes;
    return value.replaceAll(inTag ? ESCAPED_IN_TAG : ESCAPED_IN_TEXT, (character) => `&#${character.codePointAt(0)};`);
  };
}
