/** Messages for failed account connections. */

/** Keyed by the `code` of the redirect. */
export const outcomeWords: Record<string, string> = {
  access_denied: 'Consent was denied at the provider. No account was connected.',
  provider_error: 'The provider returned no consent. Try again; if the problem persists, verify the integration.',
  state_reused: 'This consent has already been used. Check whether the Connection exists.',
  integration_unavailable: 'The integration, or its provider, was removed in the meantime. Ask an administrator.',
  permission_denied: 'You can no longer connect accounts in this Environment, or it is being deleted.',
  exchange_failed:
    'The provider rejected the consent or did not identify the account, or the Environment has reached its limit of Connections. Try again; if the problem persists, verify the integration.',
  provider_unavailable: 'The provider is not responding. No account was connected; try again later.',
}
