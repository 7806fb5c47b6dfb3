/** The names of providers in spans. Source: OpenTelemetry, `gen_ai.provider.name`. */
const names: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  sandbox: 'troupe.sandbox',
}

/** All other providers have the same name in both. */
export const providerName = (provider: string): string => names[provider] ?? provider
