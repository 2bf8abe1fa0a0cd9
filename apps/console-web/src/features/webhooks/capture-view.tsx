import { Alert, Code, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { CaptureAnswer } from '../../api/generated/console-api';
import { ErrorMessage } from '../../common/error-message';
import { PendingRead } from '../../common/pending-read';
import { PayloadTree } from './payload-tree';
import { captureQuery } from './queries';

interface CaptureViewProps {
  cid: string;
  /** The JSON Pointer of the chosen field of the payload; undefined while none is chosen. */
  pointer: string | undefined;
  onChoose: (pointer: string) => void;
}

/** Shows the payload of one capture. */
export function CaptureView({ cid, ...choice }: CaptureViewProps) {
  const capture = useQuery(captureQuery(cid));
  if (capture.isPending) return <PendingRead failure={capture.failureReason} height={120} />;
  if (!capture.data) return <ErrorMessage error={capture.error} />;
  return <PayloadSection capture={capture.data} {...choice} />;
}

function PayloadSection({ capture, pointer, onChoose }: Omit<CaptureViewProps, 'cid'> & { capture: CaptureAnswer }) {
  const { t } = useTranslation('webhooks');
  return (
    <Stack component="section" gap="xs" aria-label={t('payload.title')} miw={0}>
      <Title order={3} size="h4">
        {t('payload.title')}
      </Title>
      {capture.truncated && <Alert color="yellow">{t('payload.truncated')}</Alert>}
      {capture.text !== undefined && (
        <Code block tabIndex={0} aria-label={t('payload.title')} style={TEXT}>
          {capture.text}
        </Code>
      )}
      {capture.payload !== undefined && <PayloadTree payload={capture.payload} chosen={pointer} onChoose={onChoose} />}
    </Stack>
  );
}

const TEXT = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: 400, overflowY: 'auto' } as const;
