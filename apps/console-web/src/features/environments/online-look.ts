import type { Look } from '../../common/status-badge';

/** The look of an environment on every page: without a connected agent its runs wait or are refused. */
export const onlineLook = (online: boolean): Look => (online ? 'good' : 'warning');
