/** What runners register with: `trr_`, 43 random base62 characters and the 6 of their checksum. */
import { secretsWith } from '../../tenancy/api-keys/secret.ts'

export const runnerSecrets = secretsWith('trr_')
