/** Why an account was not connected, in words. */

/** By the code that the server sends the browser back with. */
export const outcomeWords: Record<string, string> = {
  access_denied: 'The consent was refused at the provider. Nothing was connected.',
  provider_error: 'The provider sent you back without a consent. Try again; if it stays so, verify the integration.',
  state_reused: 'This consent has been used already: the first time counts. Look whether the Connection is there.',
  integration_unavailable: 'The integration, or its provider, was removed while you were there. Ask an administrator.',
  permission_denied: 'You may not connect accounts in this Environment any more, or it is being deleted.',
  exchange_failed:
    'The provider did not accept the consent, or did not say whose account it is; or the Environment has as many Connections as it can. Try again, and verify the integration if it stays so.',
  provider_unavailable: 'The provider does not answer at the moment. Nothing was connected; try again later.',
}
