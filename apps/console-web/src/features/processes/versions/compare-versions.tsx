import { Alert, Group, NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from '../../../common/error-message';
import { pendingFailureOf } from '../../../common/pending-failure';
import { PendingRead } from '../../../common/pending-read';
import { readDraft } from '../../../flow/draft';
import { CompareView } from '../../../flow/compare-view';
import { developmentQuery, versionQuery } from './queries';

/** The number that stands for the saved flow, which is not published yet. */
const DEVELOPMENT = 0;

/**
 * The differences between two versions that the user chooses, or the saved flow; at first those that a publication would make. `newest` = the
 * number of the last version: they are numbered from 1 without gaps.
 */
export function CompareVersions({ pid, newest }: { pid: string; newest: number }) {
  const { t } = useTranslation('processes');
  const [before, setBefore] = useState<number>();
  const [after, setAfter] = useState(DEVELOPMENT);
  const versions = Array.from({ length: newest }, (_, index) => newest - index);
  const choices = [DEVELOPMENT, ...versions].map((version) => ({
    value: String(version),
    label: version === DEVELOPMENT ? t('versions.development') : t('versions.numbered', { version }),
  }));
  const from = before ?? newest;
  return (
    <Stack>
      <Group>
        <NativeSelect
          label={t('versions.from')}
          value={String(from)}
          data={choices}
          onChange={({ currentTarget }) => setBefore(Number(currentTarget.value))}
        />
        <NativeSelect
          label={t('versions.to')}
          value={String(after)}
          data={choices}
          onChange={({ currentTarget }) => setAfter(Number(currentTarget.value))}
        />
      </Group>
      <VersionDifference pid={pid} before={from} after={after} />
    </Stack>
  );
}

function VersionDifference({ pid, before, after }: { pid: string; before: number; after: number }) {
  const { t } = useTranslation('processes');
  const one = useFlow(pid, before);
  const other = useFlow(pid, after);
  if (one.isPending || other.isPending) {
    return <PendingRead failure={pendingFailureOf(one, other)} height={120} />;
  }
  const error = one.error ?? other.error;
  if (error) return <ErrorMessage error={error} />;
  if (one.flow === null || other.flow === null) return <Alert color="orange">{t('versions.noFlow')}</Alert>;
  const [first, second] = [readDraft(one.flow), readDraft(other.flow)];
  if (!('flow' in first && 'flow' in second)) return <Alert color="orange">{t('versions.notComparable')}</Alert>;
  return <CompareView before={first.flow} after={second.flow} />;
}

function useFlow(pid: string, version: number) {
  const published = useQuery({ ...versionQuery(pid, version), enabled: version !== DEVELOPMENT });
  const development = useQuery({ ...developmentQuery(pid), enabled: version === DEVELOPMENT });
  const { isPending, failureReason, error, data } = version === DEVELOPMENT ? development : published;
  return { isPending, failureReason, error, flow: data?.flow };
}
