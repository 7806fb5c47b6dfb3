/** What to do about what a provider has said of a client. */
const advice: Record<string, string> = {
  integration_invalid_client: 'Compare client id and secret with those at the provider, and rotate.',
  integration_redirect_uri_mismatch:
    'Add the redirect URI to the client at the provider, exactly as it is here, and verify again.',
  integration_unexpected_response: 'Look at the client at the provider: its type, and whether it may exchange codes.',
  provider_rate_limited: 'Nothing was changed. Try again in a minute.',
  provider_unavailable: 'Nothing was changed. Try again in a moment.',
  preset_removed: 'The operator has taken this provider away: the integration can only be deleted.',
  integration_exists: 'There is one for this provider already.',
}

export const adviceFor = (code: string | null | undefined): string | undefined => (code ? advice[code] : undefined)
