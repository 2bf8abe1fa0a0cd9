import { Button, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ModalWindow } from '../../common/modal-window';
import { readDraft, type DraftFlow } from '../../flow/draft';
import { CompareView } from '../../flow/compare-view';

/**
 * Shown when somebody else has saved the flow meanwhile: the dialog shows the differences, and the user chooses which of the two flows to
 * keep. To close it changes neither the stored flow nor the editor.
 */
export function ConflictDialog(props: {
  conflict: { theirs: unknown } | undefined;
  mine: DraftFlow;
  onMine: () => void;
  onTheirs: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation('flow-editor');
  const { conflict, mine, onMine, onTheirs, onClose } = props;
  const theirs = conflict && readDraft(conflict.theirs);
  return (
    <ModalWindow opened={conflict !== undefined} onClose={onClose} size="lg" title={t('conflict.title')}>
      <Stack>
        <Text>{t('conflict.text')}</Text>
        {theirs && 'flow' in theirs && <CompareView before={theirs.flow} after={mine} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('conflict.later')}
          </Button>
          <Button variant="default" onClick={onTheirs}>
            {t('conflict.theirs')}
          </Button>
          <Button color="red" onClick={onMine}>
            {t('conflict.mine')}
          </Button>
        </Group>
      </Stack>
    </ModalWindow>
  );
}
