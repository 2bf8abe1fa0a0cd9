import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching, defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder as placeholderText } from '@codemirror/view';
import { Input, useComputedColorScheme } from '@mantine/core';
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnownVariable } from '../model/variables';
import { completeVariables } from './completion';
import { darkHighlighting } from './dark-highlighting';
import { editorPhrases } from './editor-phrases';
import { oneLine } from './one-line';
import './code-field.css';

/** `text` = a template with `{name}`; `code` = JavaScript with `{name}`; `json` = JSON text. */
export type CodeSyntax = 'text' | 'code' | 'json';

export interface CodeFieldProps {
  label: string;
  /** The label is for screen readers only. */
  hideLabel?: boolean;
  description?: string;
  required?: boolean;
  value: string;
  onChange: (value: string) => void;
  syntax: CodeSyntax;
  /** Returns the variables that completion offers; called when completion opens, and not for the syntax `json`. */
  variables?: () => readonly KnownVariable[];
  error?: React.ReactNode;
  placeholder?: string;
  /** Whether the field has a single line, in which Enter does nothing. */
  singleLine?: boolean;
  /** True for a field that fills the height of its parent, with line numbers, and shows neither label nor description nor error. */
  isPage?: boolean;
  /** Maximum length in UTF-16 units. A longer text that is shown can still be shortened. */
  maxLength?: number;
  /** Gets the CodeMirror view when it is created, and undefined when it is destroyed, so that the parent may move the cursor. */
  onView?: (view: EditorView | undefined) => void;
  /** JSON Pointer of the field in its step, by which a problem refers to the field. */
  field?: string;
}

/** Marks a change of the text that came from the prop `value`, and that `onChange` must not report. */
const isFromParentValue = Annotation.define<boolean>();

export function CodeField(props: CodeFieldProps) {
  const { label, hideLabel, description, required, value, syntax, error, singleLine = false, isPage = false } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { t } = useTranslation('flow-editor');
  const translate = useRef(t);
  translate.current = t;
  const scheme = useComputedColorScheme('light');
  const look = useRef(new Compartment());
  const attributes = useRef(new Compartment());
  const id = useId();
  const [descriptionID, errorID] = [`${id}-description`, `${id}-error`];
  const isInvalid = Boolean(error);

  useEffect(() => {
    if (!parent.current) return undefined;
    const { placeholder, maxLength } = latest.current;
    const created = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          ...languageOf(syntax),
          ...(isPage ? [lineNumbers(), search({ top: true }), bracketMatching()] : []),
          ...(singleLine ? [oneLine] : [EditorView.lineWrapping]),
          ...(maxLength === undefined ? [] : [atMost(maxLength)]),
          ...(placeholder === undefined ? [] : [placeholderText(placeholder)]),
          history(),
          closeBrackets(),
          autocompletion({
            override:
              syntax === 'json'
                ? null
                : [
                    completeVariables(
                      () => latest.current.variables?.() ?? [],
                      (key, values) => translate.current(key, values ?? {}),
                    ),
                  ],
            icons: false,
          }),
          // Tab stays the key that leaves the field, so that the keyboard never gets stuck in it.
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...searchKeymap, ...defaultKeymap]),
          look.current.of([]),
          attributes.current.of([]),
          EditorView.updateListener.of((update) => {
            const isFromParent = update.transactions.some((transaction) => transaction.annotation(isFromParentValue));
            if (update.docChanged && !isFromParent) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = created;
    latest.current.onView?.(created);
    return () => {
      latest.current.onView?.(undefined);
      created.destroy();
      view.current = undefined;
    };
    // A change of these props creates another editor. The other props are read from `latest`, so that a change of the
    // text keeps the editor.
  }, [syntax, singleLine, isPage]);

  useEffect(() => {
    view.current?.dispatch({
      effects: look.current.reconfigure(
        scheme === 'dark'
          ? [EditorView.theme({}, { dark: true }), syntaxHighlighting(darkHighlighting)]
          : syntaxHighlighting(defaultHighlightStyle),
      ),
    });
  }, [scheme, syntax, singleLine, isPage]);

  useEffect(() => {
    view.current?.dispatch({
      effects: attributes.current.reconfigure([
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-describedby': `${descriptionID} ${errorID}`,
          ...(required ? { 'aria-required': 'true' } : {}),
          ...(isInvalid ? { 'aria-invalid': 'true' } : {}),
          tabindex: '0',
        }),
        editorPhrases(t),
      ]),
    });
  }, [label, descriptionID, errorID, required, isInvalid, syntax, singleLine, isPage, t]);

  useEffect(() => {
    const editor = view.current;
    const shown = editor?.state.doc.toString();
    if (!editor || shown === value) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: isFromParentValue.of(true),
      // The field shows the text of the flow as it is.
      filter: false,
    });
  }, [value]);

  const className = `code-field${isPage ? ' code-page' : ''}${singleLine ? ' code-line' : ''}${error ? ' code-error' : ''}`;
  const box = <div ref={parent} className={className} data-field={props.field} />;
  if (isPage) return box;
  return (
    <Input.Wrapper
      label={hideLabel ? undefined : label}
      labelElement="div"
      required={required}
      description={description}
      descriptionProps={{ id: descriptionID }}
      error={error}
      errorProps={{ id: errorID }}
    >
      {box}
    </Input.Wrapper>
  );
}

function languageOf(syntax: CodeSyntax): Extension[] {
  if (syntax === 'json') return [json()];
  return syntax === 'code' ? [javascript()] : [];
}

/** Refuses changes that lengthen the text beyond this number of characters. */
function atMost(length: number): Extension {
  return EditorState.changeFilter.of(
    (transaction) =>
      transaction.newDoc.length <= length || transaction.newDoc.length <= transaction.startState.doc.length,
  );
}
