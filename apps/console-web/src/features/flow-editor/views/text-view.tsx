import { forceLinting, linter, type Diagnostic } from '@codemirror/lint';
import { StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { Alert } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../code/code-field';
import { useEditor, useEditorState } from '../editor-context';
import { messageOfRefusedText, parseFlowText, flowTextOf, unheldNumberIn } from '../model/flow-text';
import { pointerOf, segmentsOf } from '../../../flow/pointer';
import { syntaxErrorIn, rangeOf } from '../model/text-places';

/** The JSON of the flow as text. A text that can be drawn changes the flow of all views; any other is kept only here. */
export function TextView() {
  const { t } = useTranslation('flow-editor');
  const { store, problems, canEdit } = useEditor();
  const { history, open } = useEditorState();
  const { flow, brokenText } = history.present;
  const [view, setView] = useState<EditorView>();
  /**
   * The text as the user typed it, and the flow that it made. It is shown as long as that is the current flow, because a formatted text
   * would move the cursor.
   */
  const [typed, setTyped] = useState<{ text: string; flow: unknown }>();
  const text = brokenText?.text ?? (typed?.flow === flow ? typed.text : flowTextOf(flow));
  const latest = useRef({ problems, flow });
  latest.current = { problems, flow };

  useEffect(() => {
    view?.dispatch({
      effects: StateEffect.appendConfig.of(linter((editor) => diagnose(editor, latest.current, t), { delay: 150 })),
    });
  }, [view, t]);
  useEffect(() => {
    if (view) forceLinting(view);
  }, [view, problems]);
  useEffect(() => {
    if (!view || !open) return;
    const index = latest.current.flow.steps.findIndex(({ name }) => name === open.step);
    const { from, to } = rangeOf(view.state.doc.toString(), ['steps', String(index), ...segmentsOf(open.field ?? '')]);
    view.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
  }, [view, open]);

  const type = (next: string) => {
    store.typeText(next);
    const { present } = store.getState().history;
    setTyped(present.brokenText ? undefined : { text: next, flow: present.flow });
  };
  return (
    <div className="text-view">
      {brokenText && (
        <Alert color="red" p="xs" role="status">
          {brokenText.problem === undefined
            ? messageOfRefusedText(brokenText.text, t, t('text.notJson'))
            : t(`text.reasons.${brokenText.problem.reason}`, {
                path: brokenText.problem.path || '/',
              })}
        </Alert>
      )}
      <CodeField
        key={canEdit ? 'edit' : 'read'}
        label={t('views.text')}
        isPage
        syntax="json"
        value={text}
        onChange={type}
        onView={setView}
      />
    </div>
  );
}

/** The problems of the flow at their places in the text; for a text that cannot be read only its first error. */
function diagnose(
  view: EditorView,
  {
    problems,
    flow,
  }: {
    problems: ReturnType<typeof useEditor>['problems'];
    flow: { steps: readonly { name: string }[] };
  },
  t: TFunction<'flow-editor'>,
): Diagnostic[] {
  const text = view.state.doc.toString();
  if (!parseFlowText(text)) {
    const { from, to } = unheldNumberIn(text) ?? syntaxErrorIn(text);
    return [{ from, to, severity: 'error', message: messageOfRefusedText(text, t, t('text.notJson')) }];
  }
  return problems.map(({ step, field, message, severity }) => {
    const index = flow.steps.findIndex(({ name }) => name === step);
    const pointer = step === undefined ? field : `${pointerOf(['steps', index])}${field}`;
    return {
      ...rangeOf(text, segmentsOf(pointer)),
      severity,
      message,
    };
  });
}
