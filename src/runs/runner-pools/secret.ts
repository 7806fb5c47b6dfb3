/** Runner tokens: `trr_`, 43 random base62 characters and a checksum of 6. */
import { secretsWith } from '../../platform/secrets/tokens.ts'

export const runnerSecrets = secretsWith('trr_')
