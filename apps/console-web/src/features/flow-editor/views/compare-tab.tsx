import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../common/empty-state';
import { ErrorMessage } from '../../../common/error-message';
import { PendingRead } from '../../../common/pending-read';
import { useEditor, useEditorState } from '../editor-context';
import { readDraft } from '../../../flow/draft';
import { publishedQuery } from '../queries';
import { CompareView } from '../../../flow/compare-view';

/** Shows the differences between the newest published version and the flow in the editor, with its unsaved edits. */
export function CompareTab() {
  const { t } = useTranslation('flow-editor');
  const { pid } = useEditor();
  const { history } = useEditorState();
  const published = useQuery(publishedQuery(pid));
  if (published.isPending) return <PendingRead failure={published.failureReason} height={200} />;
  if (published.error) return <ErrorMessage error={published.error} />;
  if (published.data === null) return <EmptyState title={t('compare.none')} text={t('compare.noneWhy')} />;
  const before = readDraft(published.data.flow);
  if (!('flow' in before)) return <Alert color="orange">{t('compare.notDrawable')}</Alert>;
  return <CompareView before={before.flow} after={history.present.flow} />;
}
