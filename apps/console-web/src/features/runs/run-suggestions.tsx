import { Anchor, Button, Group, Stack, Text, Title, type AnchorProps } from '@mantine/core';
import { IconArrowDown, IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunAnswerItem, RunDetailsAnswer, StartedValueAnswer } from '../../api/generated/console-api';
import { CopyButton } from '../../common/copy-button';
import { environmentChoicesQuery } from '../processes/queries';
import { Rerun } from './rerun-dialog';
import { failureLogLine, type RunEnding } from './run-ending';
import type { NumberedLogLine } from './run-log';
import { showLine } from './run-log-view';
import { useRunRights } from './run-rights';
import { supportText } from './support-text';

const LINK: AnchorProps = { size: 'sm', c: 'inherit', td: 'underline' };

interface RunSuggestionsProps {
  details: RunDetailsAnswer;
  ending: RunEnding;
  lines: NumberedLogLine[];
  /** True when the header of the page has the button that repeats the run, so that it is not among the suggestions. */
  hasRerunInHeader: boolean;
}

/** What the account may do about a run that failed or was stopped. */
export function RunSuggestions({ details, ending, lines, hasRerunInHeader }: RunSuggestionsProps) {
  const { run, values, agent } = details;
  const { t } = useTranslation('runs');
  const { canRepeat, canEdit } = useRunRights(run);
  const environment = useEnvironment(run);
  const line = run.status === 'error' ? failureLogLine(lines, ending.step) : undefined;
  return (
    <Stack gap="sm" component="nav" aria-label={t('suggestions.title')}>
      <Title order={3} size="sm">
        {t('suggestions.title')}
      </Title>
      <Group gap="xs">
        {canRepeat && !hasRerunInHeader && <RunAgain run={run} values={values} />}
        {canEdit && <OpenStep pid={run.processID} step={ending.step} />}
        {line && (
          <Button
            variant="default"
            leftSection={<IconArrowDown size={16} aria-hidden />}
            onClick={() => showLine(line)}
          >
            {t('suggestions.line')}
          </Button>
        )}
        <CopyButton
          size="sm"
          value={supportText({ run, ending, environment: environment?.name, agent, address: window.location.href })}
          text={t('suggestions.copy')}
        />
      </Group>
      {canRepeat && run.startedAt !== null && <Text size="sm">{t('suggestions.fromStart')}</Text>}
      <MoreLinks run={run} />
    </Stack>
  );
}

/** The environment of a run, if the account reaches it. */
function useEnvironment({ environmentID: id }: RunAnswerItem) {
  const { data } = useQuery(environmentChoicesQuery);
  return data?.find(({ environmentID }) => environmentID === id);
}

/** The pages that may tell more about the cause. */
function MoreLinks({ run }: { run: RunAnswerItem }) {
  const { t } = useTranslation('runs');
  const { processID: pid, status, version, errorMessage } = run;
  const { canEdit, currentVersion } = useRunRights(run);
  const environment = useEnvironment(run);
  return (
    <Group gap="4px 16px">
      {status === 'error' && (
        <Anchor {...LINK} renderRoot={(props) => <Link to="/runs" search={{ process: pid, status }} {...props} />}>
          {t('suggestions.failures')}
        </Anchor>
      )}
      {status === 'stopped' && errorMessage === null && canEdit && (
        <Anchor {...LINK} renderRoot={(props) => <Link to="/processes/$pid/history" params={{ pid }} {...props} />}>
          {t('suggestions.history')}
        </Anchor>
      )}
      {canEdit && version > 0 && version !== currentVersion && <VersionLink pid={pid} version={String(version)} />}
      {environment && (
        <Anchor
          {...LINK}
          renderRoot={(props) => <Link to="/environments/$id" params={{ id: environment.environmentID }} {...props} />}
        >
          {t('suggestions.agents', { name: environment.name })}
        </Anchor>
      )}
    </Group>
  );
}

/** Repeats the run with its values; where these are not available, leads to the form that asks for new ones. */
function RunAgain({ run, values }: { run: RunAnswerItem; values: StartedValueAnswer[] | null }) {
  const { t } = useTranslation('runs');
  if (values !== null) return <Rerun run={run} values={values} />;
  const params = { pid: run.processID };
  return (
    <Button
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/processes/$pid/run" params={params} {...props} />}
    >
      {t('suggestions.newValues')}
    </Button>
  );
}

function OpenStep({ pid, step }: { pid: string; step: string | undefined }) {
  const { t } = useTranslation('runs');
  const root = (props: { children?: ReactNode }) => (
    <Link to="/processes/$pid/flow" params={{ pid }} search={{ step }} {...props} />
  );
  return (
    <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} renderRoot={root}>
      {t(step === undefined ? 'suggestions.flow' : 'suggestions.step')}
    </Button>
  );
}

/** A link to the flow that ran, for when the editor and a further run have another one. */
function VersionLink({ pid, version }: { pid: string; version: string }) {
  const { t } = useTranslation('runs');
  return (
    <Anchor
      {...LINK}
      renderRoot={(props) => <Link to="/processes/$pid/versions/$version" params={{ pid, version }} {...props} />}
    >
      {t('suggestions.version', { version })}
    </Anchor>
  );
}
