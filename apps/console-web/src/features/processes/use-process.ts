import { useSuspenseQuery } from '@tanstack/react-query';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { processQuery } from './queries';
import { processRoute } from './routes';

/** The process of a tab; the page has read it before it shows a tab. */
export function useProcess(): ProcessAnswer {
  const { pid } = processRoute.useParams();
  return useSuspenseQuery(processQuery(pid)).data;
}
