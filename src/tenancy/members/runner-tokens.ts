/**
 * Tokens of runner pools do not outlive the authority of the member who created them: like the API keys of a member who
 * has left. Source: contract 1, "Keys and organizations", "Platform operations".
 */
import { runnerTokensOfMember } from '../../../storage/runs/runner-tokens.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { Role } from '../../platform/http/guard/caller.ts'
import { rolePermissions } from '../authority/roles.ts'

interface Lost {
  /** Revokes the tokens. */
  writes: Write[]
  /** To be announced once that is committed. */
  tokenIds: string[]
}

/** The tokens that a member loses who now has this role; null: none, the member has left. */
export async function runnerTokensLost(
  store: Store,
  member: { organizationId: string; userId: string },
  role: Role | null,
): Promise<Lost> {
  const { organization, deployment } = runnerTokensOfMember
  const managesPools = role !== null && rolePermissions[role].has('organizations:update')
  const lost = [...(managesPools ? [] : [organization]), ...(role === 'owner' ? [] : [deployment])]
  const found = await Promise.all(lost.map(({ list }) => store.all(list(store, member))))
  return {
    writes: lost.map(({ revoke }) => revoke(store, member)),
    tokenIds: found.flat().map(({ id }) => id),
  }
}
