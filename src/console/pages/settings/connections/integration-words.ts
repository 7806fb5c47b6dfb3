/** Remedies for refusals by a provider. */
const advice: Record<string, string> = {
  integration_invalid_client: 'Compare the client ID and secret with those at the provider, then rotate.',
  integration_redirect_uri_mismatch:
    'Add the redirect URI exactly as shown here to the client at the provider, then verify again.',
  integration_unexpected_response: 'Check the client at the provider: its type, and whether it may exchange codes.',
  provider_rate_limited: 'Nothing was changed. Try again in a minute.',
  provider_unavailable: 'Nothing was changed. Try again in a moment.',
  preset_removed: 'The operator has removed this provider. The integration can only be deleted.',
  integration_exists: 'An integration for this provider already exists.',
}

export const adviceFor = (code: string | null | undefined): string | undefined => (code ? advice[code] : undefined)
