import { ActionIcon, Card, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { isMatrixType, MATRIX_TYPES } from '@batuta/matrix';
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { focusMoveButton } from '../../../common/focus-move-button';
import { DefaultField } from './default-field';
import type { DraftVariable } from './matrix-draft';

interface VariableCardProps {
  variable: DraftVariable;
  isFirst: boolean;
  isLast: boolean;
  disabled: boolean;
  /** The problem of the variable, shown at its name. */
  problem?: string;
  onChange: (change: Partial<DraftVariable>) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

export function VariableCard(props: VariableCardProps) {
  const { t } = useTranslation('processes');
  const { variable, isFirst, isLast, disabled, problem, onChange, onMove, onRemove } = props;
  const named = (action: string) => `${action}: ${variable.name || t('matrix.unnamed')}`;
  return (
    <Card component="li" withBorder p="sm">
      <Group align="flex-start" wrap="wrap-reverse" justify="flex-end">
        <SimpleGrid cols={{ base: 1, sm: 3 }} style={{ flex: '1 1 260px' }}>
          <TextInput
            label={t('matrix.name')}
            value={variable.name}
            error={problem}
            disabled={disabled}
            maxLength={80}
            spellCheck={false}
            autoCapitalize="off"
            // A new variable gets the focus, because the user types there next.
            autoFocus={variable.saved === undefined && variable.name === ''}
            onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
          />
          <NativeSelect
            label={t('matrix.type')}
            value={variable.type}
            disabled={disabled}
            data={[...MATRIX_TYPES]}
            onChange={({ currentTarget: { value } }) => isMatrixType(value) && onChange({ type: value })}
          />
          <DefaultField variable={variable} disabled={disabled} onChange={(text) => onChange({ text })} />
        </SimpleGrid>
        {!disabled && (
          <Group gap={4} wrap="nowrap" mt={{ base: 0, sm: 26 }}>
            <ActionIcon
              variant="default"
              aria-label={named(t('matrix.up'))}
              disabled={isFirst}
              onClick={({ currentTarget }) => {
                onMove(-1);
                focusMoveButton(currentTarget);
              }}
            >
              <IconArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={named(t('matrix.down'))}
              disabled={isLast}
              onClick={({ currentTarget }) => {
                onMove(1);
                focusMoveButton(currentTarget);
              }}
            >
              <IconArrowDown size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="default" aria-label={named(t('matrix.remove'))} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        )}
      </Group>
    </Card>
  );
}
