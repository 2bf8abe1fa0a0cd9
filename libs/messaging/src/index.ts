export { Handles, HandlesInParts, Hears } from './handles';
export { Rpc } from './rpc';
export { natsMicroservice } from './server';
