import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { processQuery } from './queries';

/** The process whose page is open, for the tabs of that page, which shows them only after it has read the process. */
export function useProcess(): ProcessAnswer {
  const { pid } = useParams({ from: '/processes/$pid' });
  return useSuspenseQuery(processQuery(pid)).data;
}
