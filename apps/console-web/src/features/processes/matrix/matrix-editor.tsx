import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { VariableAnswer } from '../../../api/generated/console-api';
import { EmptyState } from '../../../common/empty-state';
import { ErrorMessage } from '../../../common/error-message';
import { ModalWindow } from '../../../common/modal-window';
import { showSuccessNotification } from '../../../common/notify';
import { refusalText } from '../../../common/refusal-text';
import { UnsavedGuard } from '../../../common/unsaved-guard';
import { labelsOf, MAX_VARIABLES, moveRow, nameProblems, newVariable, readDefault, refusedRow } from './matrix-draft';
import { useMatrixDraft } from './use-matrix-draft';
import { VariableCard } from './variable-card';

/** The rows of a Matrix, which are saved together. `editable` is false for an account that may only see them. */
export function MatrixEditor({ pid, saved, editable }: { pid: string; saved: VariableAnswer[]; editable: boolean }) {
  const { t } = useTranslation('processes');
  const draft = useMatrixDraft(pid, saved);
  const makeKey = useRowKeys();
  const { rows, isDirty, save, change } = draft;
  const problems = nameProblems(rows);
  const refused = refusedRow(rows, save.error);
  const fields = { name: t('matrix.name'), type: t('matrix.type'), default: t('matrix.default') };
  const labels = { matrix: t('tabs.matrix'), ...labelsOf(rows, fields) };
  const isSound = problems.size === 0 && rows.every(({ type, text }) => readDefault(type, text) !== undefined);
  const problemOf = (key: string) => {
    const problem = problems.get(key);
    if (problem !== undefined) return t(`matrix.names.${problem}`);
    return refused?.key === key ? refusalText(refused.text) : undefined;
  };
  const submit = (over?: VariableAnswer[]) =>
    save.mutate(
      { over },
      { onSuccess: (outcome) => 'matrix' in outcome && showSuccessNotification(t('matrix.saved')) },
    );
  return (
    <Stack data-form>
      <Text c="dimmed">{t(editable ? 'matrix.what' : 'matrix.readOnly')}</Text>
      {rows.length === 0 && <EmptyState title={t('matrix.empty')} text={t('matrix.emptyText')} />}
      <Stack component="ol" gap="xs" p={0} m={0} style={{ listStyle: 'none' }} aria-label={t('tabs.matrix')}>
        {rows.map((row, index) => (
          <VariableCard
            key={row.key}
            variable={row}
            isFirst={index === 0}
            isLast={index === rows.length - 1}
            disabled={!editable || save.isPending}
            problem={problemOf(row.key)}
            onChange={(part) => change(rows.map((each) => (each === row ? { ...each, ...part } : each)))}
            onMove={(by) => change(moveRow(rows, row.key, by))}
            onRemove={() => change(rows.filter((each) => each !== row))}
          />
        ))}
      </Stack>
      {save.error && !draft.conflictingMatrix && <ErrorMessage error={save.error} labels={labels} />}
      {isDirty && !isSound && <Alert color="orange">{t('matrix.correct')}</Alert>}
      {editable && (
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={18} aria-hidden />}
            disabled={rows.length >= MAX_VARIABLES || save.isPending}
            onClick={() => change([...rows, newVariable(makeKey())])}
          >
            {t('matrix.add')}
          </Button>
          <Button disabled={!isDirty || !isSound} loading={save.isPending} onClick={() => submit()}>
            {t('matrix.save')}
          </Button>
          {isDirty && (
            <Button variant="subtle" disabled={save.isPending} onClick={draft.discard}>
              {t('matrix.discard')}
            </Button>
          )}
        </Group>
      )}
      {draft.conflictingMatrix && (
        <ConflictDialog
          draft={draft}
          conflictingMatrix={draft.conflictingMatrix}
          labels={labels}
          onForce={() => submit(draft.conflictingMatrix)}
        />
      )}
      <UnsavedGuard isDirty={isDirty} isSending={save.isPending} />
    </Stack>
  );
}

interface ConflictDialogProps {
  draft: ReturnType<typeof useMatrixDraft>;
  /** The Matrix of the other user. */
  conflictingMatrix: VariableAnswer[];
  /** The labels of the fields that a save may be refused for. */
  labels: Record<string, string>;
  /** Replaces `conflictingMatrix` by the rows of this editor. */
  onForce: () => void;
}

/** Shown when another user has saved the Matrix while it was edited here: the user keeps editing, takes that Matrix, or replaces it. */
function ConflictDialog({ draft, conflictingMatrix, labels, onForce }: ConflictDialogProps) {
  const { t } = useTranslation('processes');
  const { save, acceptConflictingMatrix, keepEditing } = draft;
  return (
    <ModalWindow opened onClose={keepEditing} title={t('matrix.conflict.title')}>
      <Stack>
        <Text>{t('matrix.conflict.text', { names: conflictingMatrix.map(({ name }) => name).join(', ') || '–' })}</Text>
        {save.error && <ErrorMessage error={save.error} labels={labels} />}
        <Button variant="default" onClick={keepEditing} data-autofocus>
          {t('matrix.conflict.keepEditing')}
        </Button>
        <Button variant="default" onClick={acceptConflictingMatrix}>
          {t('matrix.conflict.takeTheirs')}
        </Button>
        <Button color="red" loading={save.isPending} onClick={onForce}>
          {t('matrix.conflict.saveMine')}
        </Button>
      </Stack>
    </ModalWindow>
  );
}

/** Returns a function that gives a new row key at each call. */
function useRowKeys(): () => string {
  const prefix = useId();
  const count = useRef(0);
  return () => `${prefix}${(count.current += 1)}`;
}
