export { Handles, HandlesStreaming, OnNotification } from './handles';
export { Rpc } from './rpc';
export { natsMicroservice } from './server';
