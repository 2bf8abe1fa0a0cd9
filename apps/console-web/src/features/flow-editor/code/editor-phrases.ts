import { EditorState, type Extension } from '@codemirror/state';

/** The English texts of CodeMirror, by the names of their translations in `flow-editor:phrases`; `$` stands for a number. */
const PHRASES = {
  find: 'Find',
  replaceBy: 'Replace',
  next: 'next',
  previous: 'previous',
  all: 'all',
  matchCase: 'match case',
  regexp: 'regexp',
  byWord: 'by word',
  replace: 'replace',
  replaceAll: 'replace all',
  close: 'close',
  currentMatch: 'current match',
  onLine: 'on line',
  replacedOnLine: 'replaced match on line $',
  replaced: 'replaced $ matches',
  goToLine: 'Go to line',
  go: 'go',
  completions: 'Completions',
  diagnostics: 'Diagnostics',
  noDiagnostics: 'No diagnostics',
  selectionDeleted: 'Selection deleted',
  controlCharacter: 'Control character',
} as const;

/** A CodeMirror extension that translates the search and the messages of an editor with `t`. */
export function editorPhrases(t: (key: string) => string): Extension {
  return EditorState.phrases.of(
    Object.fromEntries(Object.entries(PHRASES).map(([name, english]) => [english, t(`phrases.${name}`)])),
  );
}
