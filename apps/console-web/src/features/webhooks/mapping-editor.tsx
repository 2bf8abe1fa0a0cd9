import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { OriginAnswer, VariableAnswer } from '../../api/generated/console-api';
import { ErrorMessage } from '../../common/error-message';
import { pendingFailureOf } from '../../common/pending-failure';
import { PendingRead } from '../../common/pending-read';
import { StatusBadge } from '../../common/status-badge';
import { matrixQuery } from '../processes/matrix/queries';
import { editedMapping, withField, withoutVariable } from './mapping-draft';
import { POINTER_TYPE } from './payload-tree';
import { mappingQuery } from './queries';
import { SaveMapping } from './save-mapping';
import { useDraftChange } from './use-draft-change';

/**
 * The variables of the Matrix, each with the field that fills it. Every change is stored in the draft at once.
 * `pointer` = that of the field that is chosen in the payload; undefined while none is chosen.
 */
export function MappingEditor({ origin, pointer }: { origin: OriginAnswer; pointer: string | undefined }) {
  const { t } = useTranslation('webhooks');
  const mapping = useQuery(mappingQuery(origin.id));
  const matrix = useQuery(matrixQuery(origin.processID));
  const change = useDraftChange(origin.id);
  if (mapping.isPending || matrix.isPending) {
    return <PendingRead failure={pendingFailureOf(mapping, matrix)} height={120} />;
  }
  if (!mapping.data || !matrix.data) return <ErrorMessage error={mapping.error ?? matrix.error} />;
  const draft = editedMapping(mapping.data);
  const fieldOf = (id: string) => draft.find(({ variableId }) => variableId === id)?.pointer;
  const removed = draft.filter(({ variableId }) => !matrix.data.some(({ id }) => id === variableId));
  const remove = (id: string) => change.mutate((before) => withoutVariable(before, id));
  return (
    <Stack component="section" gap="xs" aria-label={t('mapping.title')} miw={0}>
      <Group justify="space-between">
        <Title order={3} size="h4">
          {t('mapping.title')}
        </Title>
        <span role="status">
          <StatusBadge look={mapping.data.unsaved ? 'warning' : 'good'}>
            {mapping.data.unsaved ? t('mapping.unsaved') : t('mapping.saved')}
          </StatusBadge>
        </span>
      </Group>
      <Text size="sm" c="dimmed">
        {matrix.data.length === 0 ? t('mapping.noVariables') : t('mapping.how')}
      </Text>
      <Text size="sm" fw={500} role="status" style={{ overflowWrap: 'anywhere' }}>
        {pointer !== undefined && t('mapping.chosen', { field: pointer === '' ? t('payload.whole') : pointer })}
      </Text>
      {matrix.data.length === 0 && <MatrixLink pid={origin.processID} />}
      {change.error && <ErrorMessage error={change.error} />}
      {matrix.data.map((variable) => (
        <VariableRow
          key={variable.id}
          variable={variable}
          field={fieldOf(variable.id)}
          chosen={pointer}
          onPut={(field) => change.mutate((before) => withField(before, variable.id, field))}
          onRemove={() => remove(variable.id)}
        />
      ))}
      {removed.map(({ variableId, pointer: field }) => (
        <VariableRow key={variableId} field={field} onRemove={() => remove(variableId)} />
      ))}
      <SaveMapping origin={origin} mapping={mapping.data} matrix={matrix.data} isChanging={change.isPending} />
    </Stack>
  );
}

function VariableRow(props: {
  variable?: VariableAnswer;
  field: string | undefined;
  chosen?: string;
  onPut?: (field: string) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation('webhooks');
  const { variable, field, chosen, onPut, onRemove } = props;
  const name = variable?.name ?? t('mapping.removedVariable');
  const row = useRef<HTMLDivElement>(null);
  const remove = () => {
    // The pressed button goes, and the focus with it; the row of a removed variable goes as well.
    const remaining = variable ? row.current : document.querySelector('main');
    remaining?.focus({ preventScroll: true });
    onRemove();
  };
  const drop = (event: DragEvent) => {
    // The type is checked instead of the text, because the pointer of the whole payload is an empty text.
    if (!event.dataTransfer.types.includes(POINTER_TYPE)) return;
    event.preventDefault();
    if (event.type === 'drop') onPut?.(event.dataTransfer.getData(POINTER_TYPE));
  };
  return (
    <Paper
      ref={row}
      withBorder
      p="xs"
      role="group"
      aria-label={name}
      tabIndex={-1}
      onDragOver={onPut && drop}
      onDrop={onPut && drop}
    >
      <Group justify="space-between" gap="xs">
        <div style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          <Text size="sm" fw={500}>
            {name} {variable && `(${variable.type})`}
          </Text>
          <Text size="sm" ff={field === undefined ? undefined : 'monospace'}>
            {field === undefined ? t('mapping.noField') : field === '' ? t('payload.whole') : field}
          </Text>
        </div>
        <Group gap={4}>
          {onPut && (
            <Button
              size="xs"
              variant="default"
              disabled={chosen === undefined}
              aria-label={`${t('mapping.put')}: ${name}`}
              onClick={() => chosen !== undefined && onPut(chosen)}
            >
              {t('mapping.put')}
            </Button>
          )}
          {field !== undefined && (
            <Button size="xs" variant="default" aria-label={`${t('mapping.remove')}: ${name}`} onClick={remove}>
              {t('mapping.remove')}
            </Button>
          )}
        </Group>
      </Group>
    </Paper>
  );
}

function MatrixLink({ pid }: { pid: string }) {
  const { t } = useTranslation('webhooks');
  return (
    <Anchor underline="always" renderRoot={(props) => <Link to="/processes/$pid/matrix" params={{ pid }} {...props} />}>
      {t('mapping.openMatrix')}
    </Anchor>
  );
}
