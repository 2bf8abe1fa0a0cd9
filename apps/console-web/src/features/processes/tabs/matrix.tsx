import { useQuery } from '@tanstack/react-query';
import { ErrorPage } from '../../../common/error-page';
import { PendingRead } from '../../../common/pending-read';
import { MatrixEditor } from '../matrix/matrix-editor';
import { matrixQuery } from '../matrix/queries';
import { useKeptPermission } from '../use-kept-permission';
import { useProcess } from '../use-process';

export function ProcessMatrix() {
  const process = useProcess();
  const editable = useKeptPermission(process, 'edit');
  const matrix = useQuery(matrixQuery(process.processID));
  if (matrix.isPending) return <PendingRead failure={matrix.failureReason} height={160} />;
  if (!matrix.data) return <ErrorPage error={matrix.error} reset={() => void matrix.refetch()} />;
  return <MatrixEditor pid={process.processID} saved={matrix.data} editable={editable} />;
}
