import { useSuspenseQuery } from '@tanstack/react-query';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { processQuery } from './queries';
import { processRoute } from './routes';

/** The process of the tabs, which its page has read before it shows one of them. */
export function useProcess(): ProcessAnswer {
  const { pid } = processRoute.useParams();
  return useSuspenseQuery(processQuery(pid)).data;
}
