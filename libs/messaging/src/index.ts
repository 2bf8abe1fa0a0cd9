export { Handles, HandlesStreaming, OnNotification } from './handles';
export { currentLargeRequest } from './large-requests';
export { Rpc, wasNotReceived } from './rpc';
export { natsMicroservice } from './server';
