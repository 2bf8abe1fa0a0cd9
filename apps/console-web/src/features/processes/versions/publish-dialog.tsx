import { Alert, Anchor, Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../../common/dialog';
import { ErrorMessage } from '../../../common/error-message';
import { PendingRead } from '../../../common/pending-read';
import { useDialogStaysWhile } from '../../../common/sending-in-dialog';
import { problemText } from '../../flow-editor/model/flow-rules';
import { placeProblems, type PlacedProblem } from '../../flow-editor/model/problems';
import { placeText, warningText } from '../../flow-editor/place-text';
import { hasUnsavedFlow } from '../../flow-editor/stores';
import { webhookKeys } from '../../webhooks/queries';
import { hasPermission } from '../process-access';
import { processQueryKeys } from '../queries';
import { useProcess } from '../use-process';
import { developmentQuery, publish, versionKeys } from './queries';

/** Problems, and as many warnings, that are shown; of the others only the number. */
const MAX_SHOWN_SENTENCES = 20;

export function PublishDialog({ pid, opened, onClose }: { pid: string; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('processes');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('versions.publish')}>
      <Publish pid={pid} onClose={onClose} />
    </Dialog>
  );
}

function Publish({ pid, onClose }: { pid: string; onClose: () => void }) {
  const { t } = useTranslation(['processes', 'common']);
  const { t: texts } = useTranslation('flow-editor');
  const mayRun = hasPermission(useProcess(), 'execute');
  const queryClient = useQueryClient();
  const development = useQuery(developmentQuery(pid));
  const mutation = useMutation({
    // The flow is kept with the answer: warnings may contain paths into it, and a later read may return another flow.
    mutationFn: async () => ({ flow: development.data?.flow, ...(await publish(pid)) }),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: versionKeys.all(pid) }),
        queryClient.invalidateQueries({ queryKey: processQueryKeys.one(pid) }),
        queryClient.invalidateQueries({ queryKey: processQueryKeys.list }),
        queryClient.invalidateQueries({ queryKey: webhookKeys.allMappings }),
      ]),
  });
  useDialogStaysWhile(mutation.isPending);
  if (mutation.data) {
    const { flow, version, warnings } = mutation.data;
    return (
      <Stack>
        <Alert color="brand" role="status" title={t('versions.published', { version })}>
          {t('versions.publishedText')}
        </Alert>
        <Sentences
          title={t('versions.warnings')}
          color="gray"
          sentences={warnings.map((each) => warningText(texts, flow, each))}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:actions.close')}
          </Button>
          {mayRun && (
            <Button renderRoot={(props) => <Link to="/processes/$pid/run" params={{ pid }} {...props} />}>
              {t('run.now')}
            </Button>
          )}
        </Group>
      </Stack>
    );
  }
  if (development.isPending) return <PendingRead failure={development.failureReason} height={120} />;
  if (!development.data) return <ErrorMessage error={development.error} />;
  const { flow, problems, warnings } = development.data;
  const isEmpty = flow === null;
  const isUnsaved = hasUnsavedFlow(pid);
  const placed = placeProblems(flow, { problems: isEmpty ? [] : problems, warnings });
  const sentencesOf = (wanted: PlacedProblem['severity']) =>
    placed
      .filter(({ severity }) => severity === wanted)
      .map((problem) => `${placeText(texts, problem)}: ${problemText(problem.message)}`);
  return (
    <Stack>
      <Text>{t(isEmpty ? 'versions.noFlow' : 'versions.publishText')}</Text>
      {isUnsaved && <Alert color="orange">{t('versions.unsaved')}</Alert>}
      <Sentences title={t('versions.problems')} color="red" sentences={sentencesOf('error')} />
      <Sentences title={t('versions.warnings')} color="gray" sentences={sentencesOf('warning')} />
      {(isEmpty || isUnsaved || problems.length > 0) && (
        <Anchor
          underline="always"
          renderRoot={(props) => <Link to="/processes/$pid/flow" params={{ pid }} {...props} />}
        >
          {t('run.drawFlow')}
        </Anchor>
      )}
      {mutation.error && <ErrorMessage error={mutation.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} disabled={mutation.isPending}>
          {t('common:actions.cancel')}
        </Button>
        <Button
          disabled={isEmpty || problems.length > 0}
          loading={mutation.isPending}
          onClick={() => mutation.mutate()}
        >
          {t('versions.publish')}
        </Button>
      </Group>
    </Stack>
  );
}

function Sentences({ title, color, sentences }: { title: string; color: string; sentences: string[] }) {
  const { t } = useTranslation('processes');
  if (sentences.length === 0) return null;
  return (
    <Alert color={color} title={title}>
      <List size="sm" style={{ overflowWrap: 'anywhere' }}>
        {sentences.slice(0, MAX_SHOWN_SENTENCES).map((sentence, index) => (
          <List.Item key={index}>{sentence}</List.Item>
        ))}
      </List>
      {sentences.length > MAX_SHOWN_SENTENCES && (
        <Text size="sm">{t('versions.more', { count: sentences.length - MAX_SHOWN_SENTENCES })}</Text>
      )}
    </Alert>
  );
}
