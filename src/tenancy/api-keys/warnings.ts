/** Warnings about new keys. Source: requirement 5.4; contract 1, "API key". */
import type { Permission } from '../../platform/http/guard/permissions.ts'

interface KeyWarning {
  code: 'creates_keys' | 'acts_for_another_user'
  message: string
}

interface NewKey {
  operations: readonly Permission[]
  scope: { projectId: string | null }
}

/** The operations of a key do not limit those of the keys that it creates. A bound key creates none. */
export const warningsOf = ({ operations, scope }: NewKey): KeyWarning[] =>
  operations.includes('api-keys:create') && scope.projectId === null
    ? [
        {
          code: 'creates_keys',
          message:
            'This key can create keys with any operations: anyone who obtains it can do everything that its ' +
            'user may. Leave out api-keys:create unless the program has to create keys.',
        },
      ]
    : []

/** The key was rotated by another user than its own. */
export const actsForAnother = (userId: string, before: string): KeyWarning => ({
  code: 'acts_for_another_user',
  message:
    `The new key acts for ${userId}, who rotated it; the old key acted for ${before}. It can do no more than its new ` +
    'user may.',
})
