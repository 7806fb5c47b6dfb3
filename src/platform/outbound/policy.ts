/** The policy for addresses that tenants choose. Source: design 6; contract 7; trust 3.2. */
export interface OutboundPolicy {
  /**
   * `TROUPE_ALLOW_PRIVATE_ADDRESSES`: allows loopback and private networks, plain http, any port and any host name.
   * Link-local addresses and the metadata services of clouds stay blocked.
   */
  allowPrivateAddresses: boolean
  /** `NODE_ENV` is `production`: plain http, if allowed, only to private addresses. */
  production: boolean
}
