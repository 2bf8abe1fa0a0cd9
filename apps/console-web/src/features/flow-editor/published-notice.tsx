import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { hasPermission } from '../processes/process-access';
import { warningText } from './place-text';
import type { Publication } from './use-saving';

interface PublishedNoticeProps {
  process: ProcessAnswer;
  publication: Publication;
  onClose: () => void;
}

/** Says that the flow is published, with its warnings. A user who may start the process also gets a link to the page that runs it. */
export function PublishedNotice({ process, publication, onClose }: PublishedNoticeProps) {
  const { t } = useTranslation('flow-editor');
  const { version, flow, warnings } = publication;
  return (
    <Alert
      color={warnings.length > 0 ? 'yellow' : 'brand'}
      p="xs"
      role="status"
      withCloseButton
      closeButtonLabel={t('panel.close')}
      onClose={onClose}
      title={t('publish.done', { version })}
    >
      {warnings.map((warning) => (
        <Text key={warning} size="sm">
          {warningText(t, flow, warning)}
        </Text>
      ))}
      {hasPermission(process, 'execute') && (
        <Anchor
          size="sm"
          underline="always"
          renderRoot={(props) => <Link to="/processes/$pid/run" params={{ pid: process.processID }} {...props} />}
        >
          {t('publish.run')}
        </Anchor>
      )}
    </Alert>
  );
}
