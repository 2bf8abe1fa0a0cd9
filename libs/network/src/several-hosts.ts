const HOSTS = /^([a-z]+:\/\/(?:[^/?#]*@)?[^/?#,@]*)((?:,[^/?#,@]*)*)(.*)$/is;

/** The address of a cluster: a URL of one node, and `host:port` of each further one. */
export interface ClusterAddress {
  url: string;
  furtherHosts: string[];
}

/** Splits `tls://user:password@host-1:4222,host-2:4222`, which names user and password once; another text is `url` as a whole. */
export function splitHosts(text: string): ClusterAddress {
  const [, first = text, further = '', rest = ''] = HOSTS.exec(text) ?? [];
  return { url: first + rest, furtherHosts: further.split(',').slice(1) };
}

/** `host:port` of every node. Throws for a text that is no URL. */
export function hostsOf(text: string): string[] {
  const { url, furtherHosts } = splitHosts(text);
  return [new URL(url).host, ...furtherHosts];
}

/** The inverse of `splitHosts`. */
export function joinHosts({ url, furtherHosts }: ClusterAddress): string {
  const [, first = url, , rest = ''] = HOSTS.exec(url) ?? [];
  return [first, ...furtherHosts].join(',') + rest;
}
