export { Handles, HandlesStreaming, OnNotification } from './handles';
export { currentLargeRequest } from './large-requests';
export { RawJson } from './raw-json';
export { Rpc } from './rpc';
export { natsMicroservice } from './server';
