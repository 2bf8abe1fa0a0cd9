// Names and log lines come from other people, so characters that move the cursor, colour the screen or set the title are removed.
/** Control sequences of a terminal: CSI (`ESC [ … letter`), strings such as OSC (`ESC ] … BEL`), and two-letter escapes. */
const TERMINAL_SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- the pattern finds control characters
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
/** Control characters except tab and line feed, and characters that are invisible or reverse the direction of a text. */
const CONTROL_CHARACTERS =
  // oxlint-disable-next-line no-control-regex -- the pattern finds control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A text without control sequences; lines and tabs stay. */
export function safeText(text: string): string {
  return text.replace(TERMINAL_SEQUENCES, '').replace(/\r\n/g, '\n').replace(CONTROL_CHARACTERS, '');
}

/** A text for one line of the terminal. */
export function safeLine(text: string): string {
  return safeText(text).replace(/[\t\n]+/g, ' ');
}

/** JSON in which control characters are escaped: the same value for programs, and harmless on a screen. */
export function safeJson(value: unknown, indentation?: number): string {
  // JSON.stringify has already escaped the other control characters, and the line feeds that are left are its own
  // indentation.
  return (JSON.stringify(value, undefined, indentation) ?? 'null').replace(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
