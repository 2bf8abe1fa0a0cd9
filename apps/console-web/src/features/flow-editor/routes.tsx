import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { prefetch } from '../../api/prefetch';
import { lazyScreen } from '../../common/lazy-part';
import { searchParams, text } from '../../common/search-params';
import { matrixQuery } from '../processes/matrix/queries';
import { allowedKeysQuery } from '../processes/overview/queries';
import { processQuery } from '../processes/queries';
import { connectorsQuery, flowQuery } from './queries';

/** Time for which a flow that is prefetched with the first page of a visit waits for the editor; after it the editor reads the flow itself. */
const PREFETCHED_FLOW_TTL_MS = 15_000;

const flowEditorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes/$pid/flow',
  validateSearch: searchParams({ step: text }),
  staticData: { prefetch: ({ pid }) => pid !== undefined && prefetchAll(pid) },
  loader: ({ params: { pid } }) => prefetchAllButFlow(pid),
  component: lazyScreen(() => import('./flow-editor-page'), 'FlowEditorPage', 'flow-editor', 'processes', 'runs'),
});

/** For an address with which a visit begins: prefetches all that the editor needs while its script loads. */
function prefetchAll(pid: string): void {
  void prefetch({ ...flowQuery(pid), gcTime: PREFETCHED_FLOW_TTL_MS });
  prefetchAllButFlow(pid);
}

/** For a link to the editor: prefetches everything except the flow, which the editor reads each time it opens. */
function prefetchAllButFlow(pid: string): void {
  void prefetch(processQuery(pid));
  void prefetch(connectorsQuery);
  void prefetch(matrixQuery(pid));
  void prefetch(allowedKeysQuery(pid));
}

export const flowEditorRoutes = [flowEditorRoute] as const;
