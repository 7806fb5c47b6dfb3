/** Types of an integration and its preset. */

export interface Integration {
  id: string
  presetKey: string
  clientId: string
  status: string
  verifiedAt: string | null
  lastVerification: { outcome: 'verified' | 'failed'; code: string | null; message: string; at: string } | null
  currentVersion: { number: number }
}

export interface Preset {
  presetKey: string
  name: string
  redirectUri: string
  setupInstructions: string
  defaultScopes: readonly string[]
}
