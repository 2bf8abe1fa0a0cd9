import { ActionIcon, Button, Group, SegmentedControl, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBug,
  IconDeviceFloppy,
  IconLayoutDistributeVertical,
  IconPlus,
  IconRocket,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useEditor, useEditorState } from './editor-context';
import { canRedo, canUndo } from './model/undo-redo';

const VIEWS = ['canvas', 'list', 'text', 'compare'] as const;
export type View = (typeof VIEWS)[number];

interface ToolbarProps {
  view: View;
  setView: (view: View) => void;
  /** False while the page of an empty flow shows its own button for the first step. */
  canAdd: boolean;
  isSaving: boolean;
  isPublishing: boolean;
  /** False for a flow with errors or without steps. */
  canPublish: boolean;
  onSave: () => void;
  onPublish: () => void;
  onDebug: () => void;
}

export function Toolbar(props: ToolbarProps) {
  const { view, setView, canAdd, isSaving, isPublishing, canPublish, onSave, onPublish, onDebug } = props;
  const { t } = useTranslation('flow-editor');
  const { store, openPalette } = useEditor();
  const state = useEditorState();
  const { isChanged, isBroken } = store;
  return (
    <Group gap="xs" role="toolbar" aria-label={t('toolbar.label')} className="flow-toolbar">
      {canAdd && (
        <Button
          size="xs"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => openPalette({ kind: 'free' })}
        >
          {t('toolbar.add')}
        </Button>
      )}
      <Group gap={4}>
        <ToolButton label={t('toolbar.undo')} disabled={!canUndo(state)} onClick={() => store.undo()}>
          <IconArrowBackUp size={18} aria-hidden />
        </ToolButton>
        <ToolButton label={t('toolbar.redo')} disabled={!canRedo(state)} onClick={() => store.redo()}>
          <IconArrowForwardUp size={18} aria-hidden />
        </ToolButton>
        <ToolButton
          label={t('toolbar.tidy')}
          disabled={state.history.present.moved.size === 0}
          onClick={() => store.tidyUp()}
        >
          <IconLayoutDistributeVertical size={18} aria-hidden />
        </ToolButton>
      </Group>
      <SegmentedControl
        size="xs"
        aria-label={t('views.label')}
        value={view}
        onChange={(next) => setView(VIEWS.find((each) => each === next) ?? 'canvas')}
        data={VIEWS.map((value) => ({ value, label: t(`views.${value}`) }))}
      />
      <Group gap="xs" ml="auto">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconBug size={16} aria-hidden />}
          disabled={isBroken}
          onClick={onDebug}
        >
          {t('toolbar.debug')}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDeviceFloppy size={16} aria-hidden />}
          disabled={!isChanged || isBroken}
          loading={isSaving}
          onClick={onSave}
        >
          {t('toolbar.save')}
        </Button>
        <Button
          size="xs"
          leftSection={<IconRocket size={16} aria-hidden />}
          disabled={!canPublish || isBroken}
          loading={isPublishing}
          onClick={onPublish}
        >
          {t('toolbar.publish')}
        </Button>
      </Group>
    </Group>
  );
}

function ToolButton({
  label,
  disabled,
  onClick,
  children,
}: {
  label: string;
  disabled: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} disabled={disabled} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
