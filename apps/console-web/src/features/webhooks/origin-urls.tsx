import { Button, Code, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { OriginAnswer, Rotation } from '../../api/generated/console-api';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { CopyButton } from '../../common/copy-button';
import { StartRefusals } from '../start-refusals/start-refusals';
import { matrixQuery } from '../processes/matrix/queries';
import { processQuery } from '../processes/queries';
import { exampleCall } from './example-call';
import { rotateURL, webhookKeys } from './queries';

/** The two URLs of an origin. Whoever knows one may call it, so each can be replaced. */
export function OriginURLs({ origin }: { origin: OriginAnswer }) {
  const { t } = useTranslation('webhooks');
  const process = useQuery(processQuery(origin.processID));
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <OriginURL origin={origin} url="dev" value={origin.devUrl} />
        <OriginURL
          origin={origin}
          url="prod"
          value={origin.prodUrl}
          warning={origin.enabled && process.data && <StartRefusals process={process.data} call="webhook" />}
        />
      </SimpleGrid>
      {origin.signature && <Text size="sm">{t('urls.secret')}</Text>}
    </>
  );
}

interface OriginURLProps {
  origin: OriginAnswer;
  url: Rotation['url'];
  value: string;
  /** Says why calls of the URL are refused now. */
  warning?: ReactNode;
}

function OriginURL({ origin, url, value, warning }: OriginURLProps) {
  const { t } = useTranslation('webhooks');
  const queryClient = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const rotate = useMutation({
    mutationFn: () => rotateURL(origin.id, url),
    gcTime: 0,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: webhookKeys.origins(origin.processID) });
      asking.close();
    },
  });
  const matrix = useQuery(matrixQuery(origin.processID));
  const label = t(`urls.${url}`);
  return (
    <Paper withBorder p="sm" component="section" aria-label={label}>
      <Stack gap="xs">
        <Text fw={500}>{label}</Text>
        <Text size="sm" c="dimmed">
          {t(`urlWhy.${url}`)}
        </Text>
        {warning}
        <Code block tabIndex={0} aria-label={label} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {value}
        </Code>
        <Group gap="xs">
          <CopyButton value={value} label={label} />
          {matrix.data && (
            <CopyButton
              value={exampleCall(value, { signature: origin.signature, matrix: matrix.data })}
              text={t('urls.example')}
              label={label}
            />
          )}
          <Button size="xs" variant="default" aria-label={`${t('rotate.open')}: ${label}`} onClick={asking.open}>
            {t('rotate.open')}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={isAsking}
        title={t('rotate.title')}
        confirm={t('rotate.open')}
        danger
        mutation={rotate}
        onConfirm={() => rotate.mutate()}
        onClose={asking.close}
      >
        {t('rotate.text', { name: origin.name })}
      </ConfirmDialog>
    </Paper>
  );
}
