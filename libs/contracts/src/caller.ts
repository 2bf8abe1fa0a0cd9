/** The account on whose behalf gateway or console ask for a change. The service reads its right again in the transaction of the change. */
export interface Caller {
  accountID: string;
  /**
   * The login session of a call of the console, by the hash of its token in hexadecimal; it must be valid when the change is stored. Absent in
   * requests of the gateway and of the previous release.
   */
  sessionHash?: string;
}

/** The caller of a change for which the external API has a route, too. */
export interface ApiCaller extends Caller {
  /** The credential of an API request; it must be usable when the change is stored. Requests of the console and of the previous release have none. */
  credentialID?: string;
}
