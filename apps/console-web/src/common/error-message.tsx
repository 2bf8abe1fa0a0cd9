import { Alert, List, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CallError } from '../api/error';
import { EditConflict } from './concurrent-edit';
import { useFocusOfRefused } from './form-errors';
import { detailText } from './message-text';

interface ErrorMessageProps {
  error: unknown;
  /** Texts, by error code, each of which replaces the usual text of its code and the message of the API. */
  texts?: Record<string, string>;
  /** The labels of the fields of the form, by name. */
  labels?: Record<string, string>;
}

/**
 * Shows an error: its code in the user's language, the message of the API and the request id; of an EditConflict, the values that somebody else has
 * saved. When the API refuses a field of a form, the first field that is marked gets the focus.
 */
export function ErrorMessage({ error, texts = {}, labels = {} }: ErrorMessageProps) {
  const { t } = useTranslation();
  const alert = useFocusOfRefused(error);
  if (error instanceof EditConflict) return <ConflictMessage saved={error.saved} labels={labels} />;
  return (
    <Alert ref={alert} color="red" icon={<IconAlertCircle aria-hidden />} title={t('errors.title')} role="alert">
      <ErrorDetails error={error} texts={texts} labels={labels} />
    </Alert>
  );
}

/** What somebody else has saved in the fields that the user changed. */
function ConflictMessage({ saved, labels }: { saved: EditConflict['saved']; labels: Record<string, string> }) {
  const { t } = useTranslation();
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return (
    <Alert color="orange" icon={<IconAlertCircle aria-hidden />} title={t('conflict.title')} role="alert">
      <Text size="sm">{t('conflict.text')}</Text>
      <List size="sm" style={{ overflowWrap: 'anywhere' }}>
        {Object.entries(saved).map(([name, value]) => (
          <List.Item key={name}>{`${labels[name] ?? name}: ${textOf(value)}`}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** The content of `ErrorMessage` without its frame, for a notification. */
export function ErrorDetails({ error, texts = {}, labels = {} }: ErrorMessageProps) {
  const { t } = useTranslation();
  const call = CallError.from(error);
  const { code, requestID, retryAfter } = call;
  const known = texts[code] ?? t(`errors.codes.${code}`, { defaultValue: '' });
  const detail = texts[code] === undefined ? detailText(call, labels) : undefined;
  return (
    <Stack gap={4}>
      {known && <Text size="sm">{known}</Text>}
      {detail !== undefined && <Text size="sm">{detail}</Text>}
      {retryAfter !== undefined && <Text size="sm">{t('errors.retryAfter', { count: retryAfter })}</Text>}
      {requestID !== undefined && (
        <Text size="xs" ff="monospace">
          {t('errors.requestID', { id: requestID })}
        </Text>
      )}
    </Stack>
  );
}
