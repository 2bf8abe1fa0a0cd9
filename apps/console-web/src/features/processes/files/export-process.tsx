import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { showErrorNotification, showRefusalNotification } from '../../../common/notify';
import { hasUnsavedFlow } from '../../flow-editor/stores';
import { loadArchive } from './load-archive';

/** A button that downloads the files of a process as a ZIP archive. Edits of the flow that are not saved are not in them, and the page says so. */
export function ExportProcess({ pid }: { pid: string }) {
  const { t } = useTranslation('processes');
  const download = useMutation({
    mutationFn: async () => (await loadArchive()).exportProcess(pid),
    onSuccess: ({ name, bytes }) => {
      save(new Blob([bytes], { type: 'application/zip' }), name);
      if (hasUnsavedFlow(pid)) showRefusalNotification(t('files.unsaved'));
    },
    onError: showErrorNotification,
  });
  return (
    <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
      {t('files.export')}
    </Button>
  );
}

function save(content: Blob, name: string): void {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(content), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
