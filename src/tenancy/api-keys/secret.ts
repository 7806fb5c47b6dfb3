/** The secrets of API keys. Source: contract 1, "Secret form". */
import { secretsWith } from '../../platform/secrets/tokens.ts'

export const { newSecret, isWellFormed, visiblePrefix } = secretsWith('trp_')
