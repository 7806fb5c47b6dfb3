/** What runners register with: `trr_`, 43 random base62 characters and the 6 of their checksum. */
import { secretsWith } from '../../platform/secrets/tokens.ts'

export const runnerSecrets = secretsWith('trr_')
