'use strict';
// Loaded into each service before its own code. Node writes compiled modules to NODE_COMPILE_CACHE when a program ends by
// itself, but fault tests kill services: without this, each of their starts compiles the service anew.
const { flushCompileCache } = require('node:module');

const POLL_MS = 250;

const timer = setInterval(() => {
  // When a service listens, Node has compiled all modules that its start loads.
  if (!process.getActiveResourcesInfo().includes('TCPServerWrap')) return;
  clearInterval(timer);
  flushCompileCache();
}, POLL_MS).unref();
