import { Anchor, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunAnswerItem, RunDetailsAnswer } from '../../api/generated/console-api';
import { CodeBlock } from '../../common/code-block';
import { DateTime } from '../../common/date-time';
import { ErrorMessage } from '../../common/error-message';
import { UnreadablePage } from '../../common/missing-page';
import { PageHeader } from '../../common/page-header';
import { PendingRead } from '../../common/pending-read';
import { environmentChoicesQuery } from '../processes/queries';
import { ConnectionText } from './connection-state';
import { detailsQuery } from './queries';
import { QueueReason } from './queue-reason';
import { Rerun } from './rerun-dialog';
import { RunControls } from './run-controls';
import { RunDuration } from './run-duration';
import { isFailedOrStopped } from './run-ending';
import { RunEndingView } from './run-ending-view';
import { RunLogView } from './run-log-view';
import { RunPathView } from './run-path-view';
import { RunPictures } from './run-pictures';
import { useRunRights } from './run-rights';
import { RunStatusBadge } from './run-status-badge';
import { RunValues } from './run-values';
import { useRunStream, type RunStream } from './use-run-stream';

export function RunPage() {
  const { t } = useTranslation('runs');
  const { iid } = useParams({ from: '/runs/$iid' });
  const details = useQuery(detailsQuery(iid));
  if (details.isPending) return <PendingRead failure={details.failureReason} height={60} />;
  if (!details.data)
    return (
      <UnreadablePage title={t('title')} list="/runs" error={details.error} reset={() => void details.refetch()} />
    );
  return <Run key={iid} details={details.data} />;
}

function Run({ details }: { details: RunDetailsAnswer }) {
  const { run, values, agent } = details;
  const { t } = useTranslation('runs');
  const stream = useRunStream(run.instanceID);
  const now = statusNow(run, stream);
  const { canRepeat } = useRunRights(run);
  // Decided once: the button that repeats the run keeps its place when the run ends, because its dialog may be open.
  const [hasRerunInHeader] = useState(!isFailedOrStopped(run));
  return (
    <Stack gap="lg">
      <div>
        <PageHeader
          title={t('run.of', { name: run.processName })}
          description={run.instanceID}
          actions={
            <>
              <RunControls run={now} />
              {canRepeat && hasRerunInHeader && <Rerun run={run} values={values} />}
            </>
          }
        />
        <Group gap="sm">
          <span role="status">
            <RunStatusBadge run={now} />
          </span>
          <ConnectionText connection={stream.connection} />
        </Group>
      </div>
      {stream.error && <ErrorMessage error={stream.error} />}
      <QueueReason body={stream.body} isLive={stream.connection === 'live'} environmentID={run.environmentID} />
      <RunEndingView details={details} stream={stream} hasRerunInHeader={hasRerunInHeader} />
      <Facts run={run} agent={agent} />
      <Section title={t('path.title')}>
        <RunPathView path={stream.path} />
      </Section>
      <Section title={t('log.title')}>
        <RunLogView
          iid={run.instanceID}
          log={stream.log}
          onOlder={stream.showOlder}
          isOver={stream.connection === 'ended'}
        />
      </Section>
      <RunPictures lines={stream.log.lines} />
      {stream.body?.response && (
        <Section title={t('answer.title')}>
          <CodeBlock
            label={t('answer.code', { code: stream.body.response.code })}
            code={JSON.stringify(stream.body.response.body, null, 2)}
          />
        </Section>
      )}
      <Section title={t('values.title')}>
        <RunValues details={details} />
      </Section>
    </Stack>
  );
}

/** The newest known status: the stream reports a change sooner than the query of the details. */
function statusNow(run: RunAnswerItem, { body }: RunStream): RunAnswerItem {
  if (!body) return run;
  const { paused: _paused, ...rest } = run;
  return { ...rest, status: body.status, ...('paused' in body && body.paused && { paused: true as const }) };
}

function Facts({ run, agent }: Pick<RunDetailsAnswer, 'run' | 'agent'>) {
  const { t } = useTranslation('runs');
  const { retryOf } = run;
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" m={0}>
      <Fact name={t('columns.process')}>
        <Anchor renderRoot={(props) => <Link to="/processes/$pid" params={{ pid: run.processID }} {...props} />}>
          {run.processName}
        </Anchor>
      </Fact>
      <Fact name={t('facts.version')}>{run.version === 0 ? t('facts.development') : run.version}</Fact>
      <Fact name={t('facts.environment')}>
        <EnvironmentName id={run.environmentID} />
      </Fact>
      {agent !== undefined && <Fact name={t('facts.agent')}>{agent}</Fact>}
      <Fact name={t('columns.origin')}>
        {t(`origins.${run.trigger}`)} · {run.userName}
      </Fact>
      <Fact name={t('columns.accepted')}>
        <DateTime value={run.acceptedAt} />
      </Fact>
      <Fact name={t('facts.started')}>
        <DateTime value={run.startedAt} />
      </Fact>
      <Fact name={t('facts.finished')}>
        <DateTime value={run.finishedAt} />
      </Fact>
      <Fact name={t('columns.duration')}>
        <RunDuration run={run} />
      </Fact>
      {run.outcome !== null && <Fact name={t('facts.outcome')}>{t(`outcomes.${run.outcome}`)}</Fact>}
      {retryOf !== null && (
        <Fact name={t('facts.retryOf')}>
          <Anchor renderRoot={(props) => <Link to="/runs/$iid" params={{ iid: retryOf }} {...props} />}>
            {t('facts.repeatedRun')}
          </Anchor>
        </Fact>
      )}
    </SimpleGrid>
  );
}

/** The name of an environment, which leads to its page; an account that was given a share may not reach it. */
function EnvironmentName({ id }: { id: string }) {
  const { t } = useTranslation('runs');
  const { data } = useQuery(environmentChoicesQuery);
  const found = data?.find(({ environmentID }) => environmentID === id);
  if (!found) return data ? t('facts.unknownEnvironment') : '–';
  return (
    <Anchor renderRoot={(props) => <Link to="/environments/$id" params={{ id }} {...props} />}>{found.name}</Anchor>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0}>
        {children}
      </Text>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" gap="sm" aria-label={title}>
      <Title order={2} size="h3">
        {title}
      </Title>
      {children}
    </Stack>
  );
}
