export { certificateEnd } from './certificate-end';
export { guardedSocket, type ResolveHost } from './guarded-socket';
export { parseHostRule } from './host-rule';
export { checkProxiedHost, HostRefusedError, HostRules, refusalIn, type HostRefusalWording } from './host-rules';
export { NO_PROXIES, proxyFor, type ProxySettings } from './proxy';
export { openTunnel, ProxyStatusError, parseProxyUrl, shownProxy } from './proxy-tunnel';
export { retryAfterSeconds } from './retry-after';
export { hostsOf, joinHosts, splitHosts } from './several-hosts';
