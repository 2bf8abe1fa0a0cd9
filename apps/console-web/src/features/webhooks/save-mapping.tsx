import { Anchor, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { MappingAnswer, OriginAnswer, VariableAnswer } from '../../api/generated/console-api';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { ErrorMessage } from '../../common/error-message';
import { fillsSecret, mappingStage } from './mapping-draft';
import { mappingQuery, saveMapping, webhookKeys } from './queries';

interface SaveMappingProps {
  origin: OriginAnswer;
  mapping: MappingAnswer;
  matrix: VariableAnswer[];
  /** True while a change of the draft is in flight. */
  isChanging: boolean;
}

/**
 * Saves the draft. Fields that then fill a Secreto are permanently removed from the captures, so the user must confirm.
 */
export function SaveMapping({ origin, mapping, matrix, isChanging }: SaveMappingProps) {
  const { t } = useTranslation('webhooks');
  const queryClient = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const save = useMutation({
    mutationFn: () => saveMapping(origin.id),
    onSuccess: async (saved) => {
      queryClient.setQueryData(mappingQuery(origin.id).queryKey, saved);
      asking.close();
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: webhookKeys.allPreviews }),
        queryClient.invalidateQueries({ queryKey: webhookKeys.allPayloads }),
      ]);
    },
  });
  const stage = mapping.unsaved === null ? mappingStage(mapping, matrix) : undefined;
  const nextStep = useRef<HTMLParagraphElement>(null);
  // The button is disabled after it has saved, and a disabled button loses the focus; the text of the next step gets the focus, unless the
  // user has moved on.
  useEffect(() => {
    if (!document.activeElement?.matches('body, main, :disabled') || isAsking) return;
    if (save.isSuccess) nextStep.current?.focus({ preventScroll: true });
  }, [save.isSuccess, isAsking]);
  const asks = fillsSecret(mapping.unsaved ?? [], matrix);
  return (
    <>
      <Group>
        <Button
          disabled={mapping.unsaved === null || isChanging}
          loading={save.isPending}
          onClick={() => (asks ? asking.open() : save.mutate())}
        >
          {t('mapping.save')}
        </Button>
        {stage !== undefined && (
          <Text size="sm" ref={nextStep} tabIndex={-1}>
            {t(`mapping.${stage}`)}{' '}
            {stage === 'publish' && (
              <Anchor
                underline="always"
                renderRoot={(props) => (
                  <Link to="/processes/$pid/versions" params={{ pid: origin.processID }} {...props} />
                )}
              >
                {t('mapping.openVersions')}
              </Anchor>
            )}
          </Text>
        )}
      </Group>
      {save.error && !isAsking && <ErrorMessage error={save.error} />}
      <ConfirmDialog
        opened={isAsking}
        title={t('mapping.secretTitle')}
        confirm={t('mapping.save')}
        mutation={save}
        onConfirm={() => save.mutate()}
        onClose={asking.close}
      >
        {t('mapping.secretText')}
      </ConfirmDialog>
    </>
  );
}
