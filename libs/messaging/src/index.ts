export { Handles, HandlesStreaming, OnNotification } from './handles';
export { currentLargeRequest } from './large-requests';
export { Rpc } from './rpc';
export { natsMicroservice } from './server';
