import { Box, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaptureSummaryAnswer, OriginAnswer } from '../../api/generated/console-api';
import { CodeBlock } from '../../common/code-block';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { EmptyState } from '../../common/empty-state';
import { useFormats } from '../../i18n/formats';
import { matrixQuery } from '../processes/matrix/queries';
import { CaptureActions } from './capture-actions';
import { CaptureView } from './capture-view';
import { exampleCall } from './example-call';
import { MappingEditor } from './mapping-editor';
import { MappingPreview } from './preview';
import { originCapturesQuery } from './queries';

/** The captures of the development URL, as they arrive. The newest is shown until the user chooses one or works with the shown one. */
export function Captures({ origin }: { origin: OriginAnswer }) {
  const { t } = useTranslation('webhooks');
  const query = useQuery(originCapturesQuery(origin.id));
  const [chosen, setChosen] = useState<string>();
  const [field, setField] = useState<{ cid: string; pointer: string }>();
  const captures = query.data ?? [];
  const current = captures.find(({ id }) => id === chosen) ?? captures[0];
  // Another capture may not have the field that was chosen in this one.
  const pointer = field?.cid === current?.id ? field?.pointer : undefined;
  const columns = useColumns(current?.id, setChosen);
  return (
    <Stack component="section" aria-label={t('captures.title')}>
      <Group justify="space-between">
        <Title order={2} size="h3">
          {t('captures.title')}
        </Title>
        <Text size="sm" c="dimmed" role="status">
          {t('captures.count', { count: captures.length })}
        </Text>
      </Group>
      <DataTable
        label={t('captures.title')}
        query={query}
        rows={captures}
        rowKey={({ id }) => id}
        columns={columns}
        empty={<NoCaptures origin={origin} />}
      />
      {/* The shown capture stays open when a new one arrives, because the user may be working with it. */}
      <Stack onFocusCapture={() => setChosen(current?.id)} onPointerDownCapture={() => setChosen(current?.id)}>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {current && (
            <CaptureView
              key={current.id}
              cid={current.id}
              pointer={pointer}
              onChoose={(chosenPointer) => setField({ cid: current.id, pointer: chosenPointer })}
            />
          )}
          <MappingEditor origin={origin} pointer={pointer} />
        </SimpleGrid>
        {current && !current.truncated && (
          <MappingPreview key={`preview ${current.id}`} cid={current.id} processID={origin.processID} />
        )}
        {current && <CaptureActions key={`actions ${current.id}`} cid={current.id} origin={origin} />}
      </Stack>
    </Stack>
  );
}

/** Says how to get the first capture, with a command for whoever does not want to wait for the other system. */
function NoCaptures({ origin }: { origin: OriginAnswer }) {
  const { t } = useTranslation('webhooks');
  const matrix = useQuery(matrixQuery(origin.processID));
  const command = matrix.data && exampleCall(origin.devUrl, { signature: origin.signature, matrix: matrix.data });
  return (
    <EmptyState
      title={t('captures.empty')}
      text={t('captures.emptyText')}
      action={
        command !== undefined && (
          <Box w="100%">
            <CodeBlock label={t('captures.tryIt')} code={command} />
          </Box>
        )
      }
    />
  );
}

function useColumns(current: string | undefined, choose: (id: string) => void): Column<CaptureSummaryAnswer>[] {
  const { t } = useTranslation('webhooks');
  const { number, dateTime } = useFormats();
  return [
    { key: 'time', title: t('captures.time'), render: ({ capturedAt }) => <DateTime value={capturedAt} /> },
    {
      key: 'size',
      title: t('captures.size'),
      render: ({ bytes, truncated }) => (
        <span>
          {truncated ? t('captures.truncated', { size: number(bytes) }) : t('captures.bytes', { size: number(bytes) })}
        </span>
      ),
    },
    {
      key: 'show',
      title: t('captures.action'),
      render: ({ id, capturedAt }) => (
        <Button
          size="xs"
          variant={id === current ? 'filled' : 'default'}
          aria-pressed={id === current}
          aria-label={`${t('captures.show')}: ${dateTime(capturedAt)}`}
          onClick={() => choose(id)}
        >
          {t('captures.show')}
        </Button>
      ),
    },
  ];
}
