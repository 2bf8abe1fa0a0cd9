import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { processQuery } from './queries';

/** The process of a tab; the page has read it before it shows a tab. */
export function useProcess(): ProcessAnswer {
  const { pid } = useParams({ from: '/processes/$pid' });
  return useSuspenseQuery(processQuery(pid)).data;
}
