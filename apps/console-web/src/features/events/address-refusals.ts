import { translatorOf } from '../../common/screen-refusals';
import { i18n } from '../../i18n/instance';

/** What the API says about an address that may not get events; the texts `rules` have the same names and placeholders. */
export const ADDRESS_REFUSALS = {
  https:
    'must begin with https://; only hosts that the operator lists may be called without TLS (setting EVENT_ALLOW_HOSTS)',
  noURL: 'must be a URL that begins with https://',
  user: 'must have no user and no password',
  fragment: 'must have no fragment',
  port: 'has the port {{a}}, which other protocols than HTTP use and Batuta does not connect to',
  noAddress: 'the host {{a}} has no address',
  notResolved: 'the host {{a}} was not resolved in time',
  noHost: '"{{a}}" is not the name or address of a host',
  notPublic:
    'Batuta does not connect to {{a}}, port {{b}}: it has no public address, and is not in the list of allowed hosts (setting EVENT_ALLOW_HOSTS)',
  denied:
    "Batuta does not connect to {{a}}, port {{b}}: it is in Batuta's list of denied hosts (setting EVENT_DENY_HOSTS)",
  metadata:
    'Batuta does not connect to {{a}}, port {{b}}: it is a metadata service or link-local address, which only an entry for exactly this host in the setting EVENT_ALLOW_HOSTS allows',
};

/** Throws the error of a call again, with a translation if it is one of these refusals. */
export const throwTranslated = translatorOf(ADDRESS_REFUSALS, (rule, values) => i18n.t(`events:rules.${rule}`, values));
